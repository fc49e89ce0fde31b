"""No garbage collection while a few milliseconds' worth of syntax trees, of guards as data, or of a page are made.

They are many small objects, so making them sets off collections, and each full one walks the whole heap of the
program: with a large model loaded that took 40 % of the time of a decompilation. Little of it is cyclic garbage, which
is collected later.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_PATIENCE: Final = 100_000  # new objects before a collection starts: more than most blocks make


@contextmanager
def collection_paused() -> Iterator[None]:
    """Within the block the collector does not start by itself, or seldom.

    Other threads may run, as a progress bar's does in most programs, and the collector belongs to all of them. So it is
    not switched off, which would undo what another thread does to the switch meanwhile: it waits for more objects, a
    number that does no harm where somebody takes it for the program's own, and what another thread sets stays.
    """
    before = gc.get_threshold()
    patient = (_PATIENCE, *before[1:])
    if not gc.isenabled() or not 0 < before[0] < _PATIENCE:
        yield
        return
    try:
        gc.set_threshold(*patient)
        yield
    finally:
        if gc.get_threshold() == patient:
            gc.set_threshold(*before)
