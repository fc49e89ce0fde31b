"""Entries that others share with what was asked about: all modules of a class, all closures of one `def`."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

import pytest
import torch

import unjit
from needs import since
from unjit.guards.evaluate import failing_on
from unjit.model import Generated, Unknown
from unjit.render.forms.text import text

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Scale(torch.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear, self.dropout, self.size = torch.nn.Linear(size, 8), torch.nn.Dropout(), size

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(self.linear(x)) * self.size


def may_run(target: object) -> list[bool | None]:
    """Of each entry whether it can run for the target; None where that was not asked."""
    entries = (entry.data for function in unjit.explain(target).functions for entry in function.entries)
    return [entry.relevance and entry.relevance.may_run for entry in entries]


def test_two_modules_of_one_class():
    four, three = Scale(4), Scale(3)
    compiled = [torch.compile(module, backend="eager") for module in (four, three)]
    for module, size in zip(compiled, (4, 3), strict=True):
        module(torch.ones(5, size))
    assert may_run(compiled[0]) == may_run(four) == may_run(four.forward) == [False, True]
    assert may_run(compiled[1]) == [True, False]
    assert may_run(Scale) == may_run(Scale.forward) == [None, None]  # nobody's in particular
    shown = str(unjit.explain(four))
    assert "1 of them can run for the module that was asked about, as it is now." in shown
    assert "self.size: expected 3, actual 4" in shown
    assert shown.count("It runs only if") == 1, "what cannot run is told in short"
    first = unjit.explain(four).entries[0]
    assert "It runs only if" in str(first)
    assert "It cannot run for the module that was asked about" in str(first)


def test_a_module_of_torchs_own_has_a_wrapper_with_the_entries_of_all():
    modules = [torch.nn.Sequential(torch.nn.Linear(size, 8), torch.nn.ReLU()) for size in (4, 3)]
    compiled = [torch.compile(module, backend="eager") for module in modules]
    for module, size in zip(compiled, (4, 3), strict=True):
        module(torch.ones(5, size))
    if not since("2.10"):  # it may be this module with other data in place: such torch skips guards then
        assert may_run(compiled[0]) == may_run(compiled[1]) == [True, True]
        return
    assert may_run(compiled[0]) == [False, True]
    assert may_run(compiled[1]) == [True, False]
    assert "self[0].weight: expected shape (8, 3)" in str(unjit.explain(compiled[0]))


def under_both():
    stack = contextlib.ExitStack()
    stack.enter_context(torch.inference_mode())
    stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
    return stack


@pytest.mark.parametrize(
    "mode", [torch.no_grad, torch.inference_mode, partial(torch.autocast, "cpu", dtype=torch.bfloat16), under_both]
)
def test_the_mode_of_the_caller_is_none_of_the_modules(mode):
    """As of a server: it is called in inference mode, and explained where that is off, or the other way round."""
    inside, outside = Scale(4).eval(), Scale(4)
    with mode():
        torch.compile(inside, backend="eager")(torch.ones(5, 4))
    torch.compile(outside, backend="eager")(torch.ones(5, 4))
    assert may_run(inside) == [False, True]
    assert may_run(outside) == [True, False]
    with mode():
        assert may_run(inside) == [False, True]
        assert may_run(outside) == [True, False]


def test_a_module_that_was_changed_since():
    module = Scale(4)
    torch.compile(module, backend="eager")(torch.ones(5, 4))
    module.eval()
    shown = str(unjit.explain(module))
    assert "It cannot run for the module that was asked about, as it is now." in shown
    assert "self.dropout.training: expected True, actual False" in shown
    assert "It runs only if" in shown, "the only entry there is, so it is shown"
    module.train()
    assert may_run(module) == [True]


def test_closures_and_partials():
    def made(word: str):
        @torch.compile(backend="eager")
        def compiled(x: torch.Tensor) -> torch.Tensor:
            return x + len(word)

        return compiled

    one, other = made("one"), made("other")
    for function in (one, other):
        function(torch.ones(2))
    assert may_run(one) == [False, True]
    assert "run for the function that was asked about" in str(unjit.explain(one))

    def multiplied(mode: str, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if mode == "double" else x + 1

    compiled = torch.compile(multiplied, backend="eager")
    compiled("double", torch.ones(2))
    compiled("single", torch.ones(2))
    assert may_run(partial(compiled, "double")) == [False, True]
    assert may_run(compiled) == [None, None]


def test_an_object_of_another_class():
    class Model:
        def __init__(self, name: str) -> None:
            self.name = name

        @torch.compile(backend="eager")
        def run(self, x: torch.Tensor) -> torch.Tensor:
            return x * len(self.name)

    ours, theirs = Model("ours"), Model("theirs")
    ours.run(torch.ones(2))
    theirs.run(torch.ones(2))
    assert may_run(ours.run) == [False, True]
    assert "run for the object that was asked about" in str(unjit.explain(ours.run))


def test_a_guard_that_reads_what_is_not_known_before_the_call_is_not_what_fails():
    three = Scale(3)
    torch.compile(three, backend="eager")(torch.ones(5, 3))
    guards = unjit.explain(three).entries[0].data.guards
    (on_self,) = (child for child in guards.tree.children if child.access == "_['self']")
    of_both = replace(on_self.guards[0], check=Generated("_.size == L['x'].shape[1]"))
    tree = replace(guards.tree, children=(replace(on_self, guards=(of_both,)),))
    assert failing_on(replace(guards, tree=tree), {"self": Scale(4)}, {}, lambda *_: True) != []
    alone = replace(tree, children=(replace(on_self, guards=(of_both,), children=()),))
    assert failing_on(replace(guards, tree=alone), {"self": Scale(4)}, {}, lambda *_: True) == []


class Counts:
    def __init__(self) -> None:
        self.calls = 1

    def act(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1 if self.calls > 3 else x - x.shape[0]


@pytest.mark.skipif(not since("2.9"), reason="refused: what a number must be is asked of torch there")
def test_a_number_that_varies_must_be_in_the_range_that_an_entry_was_made_for():
    counts = Counts()
    compiled = torch.compile(counts.act, backend="eager")
    for counts.calls in (1, 2):
        compiled(torch.ones(3))
    assert may_run(counts.act) == [True, False]
    counts.calls = 5
    assert may_run(counts.act) == [False, False]
    assert "self.calls is 5" in str(unjit.explain(counts.act))
    assert "None of its 2 entries fits" in str(unjit.why(compiled, torch.ones(3)))


def test_what_is_gone_fails():
    class Reads:
        def __init__(self) -> None:
            self.size = 4

        def __getattr__(self, name: str) -> object:
            raise AttributeError(name)

        @torch.compile(backend="eager")
        def run(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.size

    ours = Reads()
    ours.run(torch.ones(2))
    del ours.size
    (entry,) = unjit.explain(ours.run).entries
    assert not isinstance(entry.data.relevance.failed, Unknown)
    assert not entry.data.relevance.may_run


def test_asking_about_several_that_share_an_entry_is_asking_about_none():
    modules = [Scale(4), Scale(3)]
    for module in modules:
        torch.compile(module, backend="eager")(torch.ones(5, module.size))
    found = unjit.explain(*modules)
    assert [entry.data.relevance for entry in found.entries] == [None, None]
    assert "asked about" not in text(found.report)


def test_asking_keeps_nothing_alive_and_compiles_nothing():
    import gc
    import weakref

    module = Scale(4)
    torch.compile(module, backend="eager")(torch.ones(5, 4))
    explanation = unjit.explain(module)
    assert len(unjit.explain(module).entries) == 1
    gone = weakref.ref(module)
    del module
    torch._dynamo.reset()
    gc.collect()
    assert gone() is None
    assert len(explanation.entries) == 1


SKIPS = "use_recursive_dict_tags_for_guards"


@pytest.mark.parametrize("skips", [False, True])
def test_what_torch_may_skip_is_no_reason_why_an_entry_could_not_run(skips):
    """Older versions of torch skip the guards on a module whose dicts have not changed; newer ones where asked to."""
    module, x = Scale(4), torch.ones(5, 4)
    with torch._dynamo.config.patch({SKIPS: True} if skips and hasattr(torch._dynamo.config, SKIPS) else {}):
        compiled = torch.compile(module, backend="eager")
        compiled(x)
        compiled(x)
        module.linear.weight.requires_grad_(False)
        told, (entry,) = str(unjit.explain(compiled)), unjit.explain(compiled).entries
        (may,), holds = may_run(module), entry.guards.check(x)
        frames = torch._dynamo.utils.counters["frames"]["ok"]
        compiled(x)
        ran = torch._dynamo.utils.counters["frames"]["ok"] == frames
    assert not holds
    assert may is ran or (skips and may), "it may be skipped where torch marks it so, and is by some Pythons"
    assert ("It cannot run for the module" in told) is not may
    assert ("a guard on self.linear.weight does not hold, but this torch asks none" in told) is may
