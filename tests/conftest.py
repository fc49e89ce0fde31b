"""What several test files ask for by name."""

from __future__ import annotations

import pytest


@pytest.fixture
def recorder():
    """A running recorder, with nothing of Dynamo's before or after."""
    torch = pytest.importorskip("torch")
    from unjit.observe import recorder as recorders

    torch._dynamo.reset()
    recorder = recorders.start()
    yield recorder
    recorder.stop()
    torch._dynamo.reset()
