"""What several test files ask for by name."""

from __future__ import annotations

import signal

import pytest

# Started in the background by a shell, the tests have interrupts ignored, and so would have all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def nothing_compiled():
    """Dynamo as at the start of a process, before and after."""
    torch = pytest.importorskip("torch")
    from torch._dynamo import utils

    torch._dynamo.reset()
    utils.clear_compilation_metrics()
    utils.counters.clear()
    yield
    torch._dynamo.reset()


@pytest.fixture
def recorder(nothing_compiled):
    """A running recorder, with nothing of Dynamo's before or after."""
    from unjit.observe.listening import recorder as recorders

    recorder = recorders.start()
    yield recorder
    recorder.stop()


@pytest.fixture(scope="session")
def awkward(tmp_path_factory):
    """The capture, on eager, of a program with which Dynamo has about every kind of trouble."""
    torch = pytest.importorskip("torch")
    import unjit
    from programs import awkward_run

    torch._dynamo.reset()
    with unjit.capture(tmp_path_factory.mktemp("awkward") / "out") as session:
        awkward_run.run()
    yield session
    torch._dynamo.reset()
