"""The beginning of `unjit run`, when the program imports torch: what is recorded from here on."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from unjit.capturing.job.processes import parent_rank
from unjit.capturing.session import Recording
from unjit.cli.in_program.comparing import Comparing
from unjit.observe.listening import recorder as recorders
from unjit.observe.listening.recorder import Recorder
from unjit.starting.options import Options
from unjit.torch_private.following.fresh import fresh_variables


def begin(text: str, after_compile: Callable[[], None]) -> Recorder | Recording | Comparing:
    """Start to record what the options ask for."""
    options = Options.load(text)
    if options.compare:
        comparing = Comparing(options.backends, options.calls, options.pipe)
        comparing.begin()
        return comparing
    if options.fresh and not options.joins:  # who joins has the caches of the process that started it
        _empty_caches()
    if options.step is not None:
        from unjit.stepping.program import ProgramStepper

        ProgramStepper(options.step).arm()
    if options.debug:
        from unjit.debugging import debug

        debug().__enter__()  # lasts as long as the process
    if options.out is None:
        return recorders.start(after_compile)
    recording = Recording(
        Path(options.out), joins=options.joins, parent=parent_rank(options.parent), redact=options.redact
    )
    recording.begin(after_compile)
    return recording


def _empty_caches() -> None:
    """Give torch, in this process and those that it starts, caches in a folder that goes with this process."""
    folder, process = tempfile.mkdtemp(prefix="unjit_fresh_"), os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # a forked child ends earlier
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ.update(fresh_variables(folder))
