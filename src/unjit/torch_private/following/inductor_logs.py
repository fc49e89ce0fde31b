"""What Inductor says of its steps between graph and code, which it writes to its logs and nowhere else."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from functools import partial
from typing import Final

from unjit.torch_private.following.undoing import surely

# Each is a logger that torch makes when Inductor is imported, silent unless TORCH_LOGS asks for it. Without it, the
# texts of this name are missing in a capture.
_LOGGERS: Final = {
    "ir_pre_fusion": "torch._inductor.debug.__ir_pre_fusion",
    "ir_post_fusion": "torch._inductor.debug.__ir_post_fusion",
    "fusion": "torch._inductor.scheduler.__fusion",
    "schedule": "torch._inductor.codegen.simd.__schedule",  # of Triton's kernels
}
KINDS: Final = {logger: kind for kind, logger in _LOGGERS.items()}


@contextlib.contextmanager
def listening(handler: logging.Handler) -> Iterator[None]:
    """Give what Inductor logs about its operations and their fusion to `handler`, and to nobody who did not ask."""
    with contextlib.ExitStack() as undo:
        for name in KINDS:
            logger = logging.getLogger(name)
            asked_for = logger.level == logging.DEBUG
            undo.callback(surely, partial(_restore, logger, logger.level, logger.propagate, asked_for=asked_for))
            undo.callback(surely, partial(logger.removeHandler, handler))
            logger.addHandler(handler)
            if not asked_for:
                logger.setLevel(logging.DEBUG)
                logger.propagate = False
        yield


def _restore(logger: logging.Logger, level: int, propagate: bool, *, asked_for: bool) -> None:
    """As it was; but a logger that torch has made since then is as torch makes it, which does not propagate."""
    if asked_for:
        return
    logger.setLevel(level)
    made_since = propagate and hasattr(logger, "artifact_name")
    logger.propagate = propagate and not made_since
