"""No garbage collection while a few milliseconds' worth of syntax trees, of guards as data, or of a page are made.

They are many small objects, so making them sets off collections, and each full one walks the whole heap of the
program: with a large model loaded that took 40 % of the time of a decompilation. Little of it is cyclic garbage, which
is collected later.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Within the block the collector does not start by itself.

    Only where no other thread runs: the switch belongs to the process, and another thread could set it meanwhile.
    """
    if not gc.isenabled() or threading.active_count() > 1:
        yield
        return
    try:
        gc.disable()
        yield
    finally:
        gc.enable()
