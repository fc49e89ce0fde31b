"""What stands in for something of torch's while somebody listens."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from unjit.torch_private.following.standing_in import StandIn
from unjit.torch_private.probes.probe import Probe

PLACE = Probe("torchgen.of_this_test.printer", "test it", "nothing")


@pytest.fixture
def home(monkeypatch):
    module = ModuleType("torchgen.of_this_test")
    module.printer = "torch's"
    monkeypatch.setitem(
        sys.modules, "torch", sys.modules.get("torch") or ModuleType("torch")
    )  # it need not be imported
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_it_stands_in_until_the_last_listener_ends(home):
    stand_in = StandIn(PLACE, "ours")
    ends = [stand_in.begin(), stand_in.begin()]
    ends[0]()
    ends[0]()
    assert home.printer == "ours"
    ends[1]()
    assert home.printer == "torch's"


def test_what_the_program_has_put_there_since_stays(home):
    end = StandIn(PLACE, "ours").begin()
    home.printer = "the program's"
    end()
    assert home.printer == "the program's"


def test_an_end_that_is_interrupted_is_made_up_for(home):
    """What undoes something is begun once more where an interrupt stopped it."""

    class Interrupted(StandIn):
        interrupts = 1

        def _put(self, what):
            if what == "torch's" and self.interrupts:
                self.interrupts -= 1
                raise KeyboardInterrupt
            super()._put(what)

    end = Interrupted(PLACE, "ours").begin()
    with pytest.raises(KeyboardInterrupt):
        end()
    assert home.printer == "torch's"
