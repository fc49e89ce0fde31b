"""Write all schemas anew, after a change of the model."""

from __future__ import annotations

from unjit.directory.schemas import KINDS, generated, path_of

for name in KINDS:
    path_of(name).write_text(generated(name), encoding="utf-8")
