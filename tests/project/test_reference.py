"""The reference has all that a program may call."""

from __future__ import annotations

import re
from pathlib import Path

import unjit

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_every_public_name_is_there():
    listed = re.findall(r"^::: (\S+)$", REFERENCE.read_text(), re.MULTILINE)
    for name in unjit.__all__:
        public = getattr(unjit, name)
        module = public.__module__
        assert {module, f"{module}.{public.__qualname__}"} & {*listed}, f"unjit.{name}"
