"""The beginning of `unjit run`, when the program imports torch: what is recorded from here on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unjit.capturing.processes import parent_rank
from unjit.capturing.session import Recording
from unjit.cli.comparing import Comparing
from unjit.observe import recorder as recorders
from unjit.observe.recorder import Recorder
from unjit.starting.options import Options


def begin(text: str, after_compile: Callable[[], None]) -> Recorder | Recording | Comparing:
    """Start to record what the options ask for."""
    options = Options.load(text)
    if options.compare:
        comparing = Comparing(options.backends, options.calls, options.pipe)
        comparing.begin()
        return comparing
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
