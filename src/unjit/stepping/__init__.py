"""Stepping through bytecode: instruction and source line side by side, with the stack.

Begin with `session`, then `commands`, the prompt. `events` says where events come from: `monitoring` or `tracing`.
"""

from __future__ import annotations

from unjit.stepping.session import step

__all__ = ["step"]
