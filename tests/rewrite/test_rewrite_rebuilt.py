"""Where a capture was on, torch builds an entry's guards again without the dropped one: C++ asks all the others."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest
import torch

import unjit
from corpus import AWKWARD
from needs import needs_dict_sizes, since
from rebuilt_copies import Drops, compiles, drop_each
from scales import Scales, X, Y, entry_of, without
from unjit import rewrite
from unjit.observe.listening import recorder

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    pytest.mark.filterwarnings("ignore:without"),
    pytest.mark.skipif(not since("2.11"), reason="torch 2.11 and newer can do it"),
]


@pytest.fixture
def recording():
    started = recorder.start()
    yield started
    started.stop()


@pytest.fixture
def module(recording):
    return Scales()


def in_python(copy):
    return [text.endswith("in Python") for text in copy.conditions]


def test_what_is_kept_is_asked_by_torch(module, recording):
    made, entry = entry_of(module, X, Y)
    copy = without(entry, "TYPE_MATCH", "self")
    assert copy.conditions == []
    assert (copy.check(X, Y), copy.check(X, X), copy.check(X.double(), Y)) == (True, False, False)
    for inner in (module.first, module.second):
        inner.weight.requires_grad_(False)
        assert not copy.check(X, Y)
        inner.weight.requires_grad_(True)
    module.scale = 3
    assert not copy.check(X, Y)
    module.scale = 2

    class Other(Scales):
        pass

    module.__class__ = Other
    assert (entry.check(X, Y), copy.check(X, Y)) == (False, True)
    with copy.install() as handle:
        assert torch.equal(made(X, Y), module.forward(X, Y))
        assert handle.errors == []
    assert recording.errors == []


def test_a_condition_of_ours_stands_after_them(module):
    _, entry = entry_of(module, X, Y)
    dropped = rewrite.drop(lambda guard: (guard.kind, guard.subject) == ("TYPE_MATCH", "self.first"))
    copy = entry.copy(guards=[dropped, "x.sum() > 1"])
    assert copy.conditions == ["x.sum() > 1"]
    assert (copy.check(X, Y), copy.check(torch.full((3,), -1.0), Y)) == (True, False)


def test_where_a_value_has_changed_python_asks_what_the_entry_asked(module):
    _, entry = entry_of(module, X, Y)
    module.scale = 3
    copy = without(entry, "TYPE_MATCH", "self.first")
    assert in_python(copy) == [True]
    assert not copy.check(X, Y)
    module.scale = 2
    assert copy.check(X, Y)


def test_where_a_value_is_gone_or_the_thread_is_another_python_asks(module):
    _, entry = entry_of(module, torch.ones(3), Y)
    gc.collect()
    assert in_python(without(entry, "TYPE_MATCH", "self.first")) == [True]
    torch._dynamo.reset()
    _, entry = entry_of(module, X, Y)
    with torch.inference_mode():
        copy = without(entry, "TYPE_MATCH", "self.first")
    assert in_python(copy) == [True]
    assert copy.check(X, Y)
    torch.set_default_device("meta")
    try:
        assert in_python(without(entry, "TYPE_MATCH", "self.first")) == [True]
    finally:
        torch.set_default_device(None)
    assert without(entry, "TYPE_MATCH", "self.first").conditions == []


def test_without_a_capture_python_asks():
    _, entry = entry_of(Scales(), X, Y)
    assert in_python(without(entry, "TYPE_MATCH", "self.first")) == [True]


def test_arguments_are_not_kept_alive(recording):
    module, x = Scales(), torch.ones(3)
    made = torch.compile(module, backend="eager", dynamic=False)
    made(x, [Y][0])
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_a_capture_does_not_see_guards_that_are_built_again(tmp_path):
    module = Scales()
    with unjit.capture(tmp_path / "out"):
        _, entry = entry_of(module, X, Y)
        assert without(entry, "TYPE_MATCH", "self").conditions == []
    assert not list((tmp_path / "out").glob("**/outside*"))
    assert len(unjit.load(tmp_path / "out").functions) == 1


@pytest.mark.parametrize(
    "name",
    [pytest.param("modules_that_are_not_inlined", marks=needs_dict_sizes), "match_statement", "closure_and_cells"],
)
def test_they_ask_what_is_kept_and_nothing_else(recording, name):
    if name not in AWKWARD:
        pytest.skip("needs ../shared/models beside the repository")
    function, calls = AWKWARD[name]()
    drops = Drops()
    with compiles() as noted:
        made = torch.compile(function, backend="eager")
        for arguments in calls:
            made(*arguments)
    for one in noted:
        drop_each(*one, drops, most=12)
    assert drops.disagreements == []
    assert drops.rebuilt > 3
    assert drops.held > 20


PROGRAM = """
import collections, sys, warnings
import torch, unjit
from unjit import rewrite
warnings.simplefilter("ignore")
Pair = collections.namedtuple("Pair", "a b")

def f(x, kind):
    return kind(x, x + 1)

with unjit.capture():
    made = torch.compile(f, backend="eager")
    x = torch.ones(3)
    made(x, Pair)
entry = unjit.explain(f).entries[0]
copy = entry.copy(guards=rewrite.drop(lambda guard: (guard.kind, guard.subject) == ("ID_MATCH", "kind")))
for other in (None, object(), 3, (1, 2), torch.ones(2), "text", {}):
    copy.check(x, other)
print("alive", copy.check(x, Pair))
"""


def test_without_the_guard_on_a_type_steps_below_it_are_not_left_to_torch():
    """Its C++ reads the dict and the bases of a class without asking whether it is one."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == "alive True\n", done.stderr[-2000:]
