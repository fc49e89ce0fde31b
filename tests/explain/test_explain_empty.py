"""A page is never empty: the reason why there is nothing to show."""

from __future__ import annotations

import enum
import gc

import pytest
import torch
import torch._dynamo

import unjit
from needs import refused_before, since
from of_file import of_file
from unjit.api.compare import compare_on
from unjit.model import Unknown
from unjit.render.functions.summary import summary_line

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def state(target):
    return unjit.explain(target).functions[0].data.status.state


def test_never_ran():
    def f(x):
        return x + 1

    assert state(f) == "never ran"
    assert "since torch._dynamo.reset()" in str(unjit.explain(f))
    torch.compile(f, backend="eager")(torch.ones(2))
    assert state(f) == "compiled"
    torch._dynamo.reset()
    assert state(f) != "compiled"


@refused_before("2.9", "takes no reason")
def test_disabled_with_its_reason():
    @torch._dynamo.disable(reason="it prints")
    def f(x):
        return x + 1

    torch.compile(lambda x: f(x) * 2, backend="eager")(torch.ones(2))
    assert state(f) == "skipped"
    assert "it prints" in str(unjit.explain(f))


def test_nothing_to_compile():
    def f(x):
        return 7

    torch.compile(f, backend="eager")(torch.ones(2))
    assert state(f) == "skipped"
    assert "no tensor operations" in str(unjit.explain(f))


def test_a_file_that_dynamo_skips():
    assert state(torch.nn.Linear.forward) == "skipped"
    text = str(unjit.explain(torch.nn.Linear.forward))
    assert "never begins a compile" in text
    assert "it is traced as a part of what calls it" in text


@refused_before("2.8", "has no such file")
def test_a_file_that_dynamo_does_not_follow_either():
    from torch.export.pt2_archive._package import AOTICompiledModel

    text = str(unjit.explain(AOTICompiledModel.__call__))  # a compiled function that calls one breaks its graph there
    assert "never begins a compile" in text
    assert "traced as a part" not in text


@refused_before("2.9", "does not tell whether Dynamo still looks at a function")
def test_fullgraph_that_failed():
    def f(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(f, backend="eager", fullgraph=True)(torch.ones(2))
    assert state(f) == "failed"
    text = str(unjit.explain(f))
    assert "the next call compiles it again" in text  # without fullgraph=True the function would have been given up
    assert "torch._dynamo.graph_break()" in text


def test_a_backend_that_raised():
    def f(x):
        return x + 1

    def backend(graph, example):
        raise RuntimeError("backend is broken")

    with pytest.raises(Exception, match="backend is broken"):
        torch.compile(f, backend=backend)(torch.ones(2))
    assert state(f) == "failed"
    assert "backend is broken" in str(unjit.explain(f))


@refused_before("2.9", "does not tell whether Dynamo still looks at a function")
def test_a_long_reason_is_cut_in_one_line_and_whole_below():
    def refuses(graph, inputs):
        raise ValueError("no " * 200 + "more")

    def f(x):
        return x + 1

    with pytest.raises(Exception, match="no no no"):
        torch.compile(f, backend=refuses)(torch.ones(2))
    explained = unjit.explain(f)
    (function,) = explained.functions
    assert len(summary_line(function.data)) < 400
    assert summary_line(function.data).endswith("no no …")
    assert "no no more" in str(explained)


def test_recompile_limit():
    def f(x, name):
        return x + len(name)

    compiled = torch.compile(f, backend="eager")
    with torch._dynamo.config.patch(cache_size_limit=3):
        for number in range(5):
            compiled(torch.ones(2), f"{number}")
        assert state(f) == "recompile limit"
        text = str(unjit.explain(f))
    reached = "It has 3 entries and reached the limit" if since("2.7") else "It has 3 entries, which is the limit"
    assert reached in text
    assert "name == '0'" in text


def test_invalidated_entries():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x + 1

    net = Net()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(2))
    (entry,) = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(Net.forward.__code__)
    manager = entry.guard_manager
    deleted = torch._dynamo.guards.DeletedGuardManagerWrapper("L['self'] died")
    manager.extra_state.invalidate(manager.cache_entry, deleted)
    assert state(Net.forward) == "invalidated"
    text = str(unjit.explain(Net.forward))
    assert "self died" in text
    assert "L['self']" not in text
    assert isinstance(unjit.explain(Net.forward).entries[0].backend, Unknown)
    assert summary_line(unjit.explain(Net.forward).report.functions[0]).count("1 cache entry, graphs unknown") == 1


def breaks(target):
    (compile_,) = unjit.explain(target).functions[0].data.compiles
    return compile_.breaks


def doubled(x):
    return x * 2


def unasked(x):
    return x * 3


@refused_before("2.13", "does not let entries be dropped")
def test_of_everything_what_a_comparison_compiled_is_no_part():
    compiled = torch.compile(doubled, backend="eager")
    compiled(torch.ones(3))
    compare_on(("eager",), doubled, (torch.ones(3),), {})
    compare_on(("eager",), unasked, (torch.ones(3),), {})
    found = of_file(unjit.explain(), __file__)
    assert [(one.name, len(one.entries)) for one in found] == [("doubled", 1)]


def test_the_break_of_an_entry_without_graph_is_unknown_when_its_compile_is_forgotten():
    def f(x):
        return print("a break")

    torch.compile(f, backend="eager")(torch.ones(2))
    assert len(breaks(f)) == 1
    torch._dynamo.utils.clear_compilation_metrics()
    assert "torch remembers the last compiles alone" in breaks(f).reason


def test_an_entry_whose_code_dynamo_dropped_has_the_breaks_of_its_compile():
    kind = enum.Enum("kind", "ONE OTHER")

    def f(x, which):
        x = x + 1 if which is kind.ONE else x - 1
        torch._dynamo.graph_break()
        return x * 2

    torch.compile(f, backend="eager")(torch.ones(2), kind.ONE)
    before = breaks(f)
    assert len(before) == 1
    kind = None
    gc.collect()
    assert unjit.explain(f).entries[0].data.invalid is not None
    assert breaks(f) == before
    torch._dynamo.utils.clear_compilation_metrics()
    assert isinstance(breaks(f), Unknown)
