"""Keeping a backward pass where a debugger can follow it.

Of what lies on a GPU, autograd runs the backward pass in a thread of its own for each device. A debugger such as pdb
follows the thread that it was started in, and would never stop there.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack

from unjit.errors import UnjitError


class _OfThread(threading.local):
    """What those that are on in a thread have in common: the first one has what was before."""

    def __init__(self) -> None:
        self.count = 0
        self.undo = ExitStack()


_of_thread = _OfThread()


class BackwardInThisThread:
    """Backward passes that the thread which made this asks for run in that thread, from `begin` to `end`.

    `begin` may be called in any thread and as often as one likes: in another one it does nothing, nor before the
    program has imported torch. `end` raises UnjitError in another thread, as this is a matter of each thread in torch.
    On the CPU a backward pass runs in the thread that asks for it anyway. Of several the last one that ends leaves the
    thread as it was before the first: tasks that a thread runs by turns need not end in the order in which they began.
    """

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._begun = False

    def begin(self) -> None:
        torch = sys.modules.get("torch")
        if torch is None or self._begun or threading.get_ident() != self._thread:
            return
        keeps_to_this = torch.autograd.set_multithreading_enabled(False)
        if not _of_thread.count:
            _of_thread.undo.enter_context(keeps_to_this)
        _of_thread.count += 1
        self._begun = True

    def end(self) -> None:
        if not self._begun:
            return
        if threading.get_ident() != self._thread:
            raise UnjitError(
                "the block ended in another thread than it began in, where backward passes still keep to their thread: "
                "call torch.autograd.set_multithreading_enabled(True) there"
            )
        self._begun = False
        _of_thread.count -= 1
        if not _of_thread.count:
            _of_thread.undo.close()
