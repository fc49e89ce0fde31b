"""Readers that make the model: live state now, and the events of a run.

Begin with `live.report` (what Dynamo has now) or `listening.recorder` and `recorded.report` (what happened in a run).
Both read functions, `entries`, `guards` and `status` by the folders of these names, and what torch says by `messages`.
"""

from __future__ import annotations
