"""Other tools' interfaces, over this one."""

from __future__ import annotations
