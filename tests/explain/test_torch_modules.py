"""Modules of torch's own under torch.compile: Dynamo never begins at their forward, so a wrapper has their entries."""

from __future__ import annotations

import sys

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit.observe.targets.behind_wrapper import NamesBehind
from unjit.observe.targets.resolving import code_with_entries, resolve
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES


@pytest.fixture
def net():
    torch._dynamo.reset()
    compiled = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), backend="eager")
    compiled(torch.ones(1, 2))
    return compiled


def test_its_source(net):
    source = unjit.getsource(net)
    assert "__compiled_fn_" in source


def test_what_its_wrapper_says(net):
    text = repr(unjit.wrap(net))
    assert text.startswith("<Sequential.forward, optimised by Dynamo: backend ")
    assert "1 cache entry, 1 graph" in text


@needs(PRECOMPILE_ENTRIES)
def test_its_entries_are_stepped(net, tmp_path, capfd):
    with unjit.debug(net, directory=str(tmp_path)):
        expected = torch.nn.Sequential(*net.children())(torch.ones(1, 2))
        assert torch.equal(net(torch.ones(1, 2)), expected)
    assert "transformed.py" in capfd.readouterr().err
    assert code_with_entries(resolve(net)) is not resolve(net).code


class Layer(torch.nn.Module):
    def forward(self, x):
        torch._dynamo.graph_break()
        return x + 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x):
        return self.layer(x) * 2


@needs(PRECOMPILE_ENTRIES)
def test_parts_that_run_as_functions_of_their_own_are_stepped(tmp_path):
    torch._dynamo.reset()
    compiled = torch.compile(Net(), backend="eager")
    compiled(torch.ones(2))
    with unjit.debug(compiled, directory=str(tmp_path), quiet=True) as block:
        assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 4.0))
    assert {"Net_forward, older entry 0", "Layer_forward, older entry 0"} <= {stop.what for stop in block.stops}


def test_one_that_is_called_by_itself_says_why_it_is_not_compiled():
    torch._dynamo.reset()
    net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    net.compile(backend="eager")  # in place: Dynamo sees frames of torch alone
    net(torch.ones(1, 2))
    assert "Dynamo never begins a compile at it" in str(unjit.explain(net))


class Talking(torch.nn.Module):
    def forward(self, x):
        print("hello")
        return x


X = torch.ones(1, 2)


def compiles_of(module):
    """How many graphs a call of the module compiles."""
    graphs = []
    module.compile(backend=lambda graph, _inputs: graphs.append(graph) or graph.forward)
    module(X)
    return len(graphs)


@pytest.mark.parametrize("make", [lambda: torch.nn.Linear(2, 2), lambda: torch.nn.Sequential(torch.nn.ReLU())])
def test_one_that_was_compiled_in_place(nothing_compiled, make):
    """Up to torch 2.13 that compiles nothing of it, which is said; later versions put a wrapper around it."""
    module = make()
    if compiles_of(module):
        assert unjit.why(module, X).outcome == "runs an entry"
        assert len(unjit.explain(module).functions[1].entries) == 1
        return
    answer = unjit.why(module, X)
    assert answer.outcome == "runs uncompiled"
    assert "Call what torch.compile(module) returns." in str(answer)
    assert "Call what torch.compile(module) returns." in str(unjit.explain(module))


def test_parts_of_the_users_own_are_compiled_in_place(nothing_compiled):
    module = torch.nn.Sequential(Layer())
    assert compiles_of(module)
    assert any(function.entries for function in unjit.explain(module).functions)


def test_one_that_was_not_called_yet_waits_for_its_call(nothing_compiled):
    linear = torch.nn.Linear(2, 2)
    compiled = torch.compile(linear, backend="eager")
    for target in (linear, compiled):
        assert unjit.explain(target).functions[0].data.status.state == "never ran"
        assert "Call what torch.compile returned" in str(unjit.explain(target))


def test_a_compile_of_one_that_failed_is_told(nothing_compiled):
    compiled = torch.compile(torch.nn.Sequential(Talking()), backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(X)
    assert "The last compile failed: Unsupported: " in str(unjit.explain(compiled))


def test_two_that_share_a_forward_are_told_alike_in_any_order(nothing_compiled):
    in_place, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    in_place.compile(backend="eager")
    compiled = torch.compile(other, backend="eager")
    compiled(torch.ones(1, 2))
    one, two = (unjit.explain(*targets).functions[0] for targets in ((in_place, compiled), (compiled, in_place)))
    assert one.data.key == two.data.key == "Linear_forward"
    assert one.data.status == two.data.status
    assert "See inner below" in one.data.status.advice
    assert ("module.compile() compiles no" in one.data.status.advice) == (not compiles_of(in_place))


def test_its_guards_and_recompiles_have_the_names_of_its_forward(nothing_compiled):
    compiled = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), backend="eager")
    compiled(torch.ones(5, 2))
    compiled(torch.ones(3, 2))
    newest, *_ = unjit.explain(compiled).entries
    subjects = {str(guard.subject) for guard in newest.guards}
    assert {"input", "self", "self[0].weight", "kwargs"} <= subjects
    assert not any(text.startswith(("fn", "args[")) for text in subjects)
    assert any(guard.condition == "type(self) is torch.nn.modules.container.Sequential" for guard in newest.guards)
    assert any(guard.source == "L['args'][0]" for guard in newest.guards)
    if sys.version_info[:3] != (3, 13, 0):  # torch does not tell the sizes of dicts there
        assert newest.guards.predicate(newest.guards.frame(torch.ones(4, 2)))
    assert "tensor 'input' size mismatch at index 0. expected 5, actual 3" in str(unjit.explain(compiled))


def test_what_it_is_called_with_has_the_same_names_in_a_capture(nothing_compiled, tmp_path):
    compiled = torch.compile(torch.nn.Linear(2, 2), backend="eager")
    with unjit.capture(tmp_path / "out"):
        compiled(torch.ones(5, 2))
        compiled(torch.ones(3, 2))
    told = unjit.load(tmp_path / "out").summary()
    assert "tensor 'input' size mismatch at index 0. expected 5, actual 3" in told
    assert "mark_dynamic(input, 0)" in told
    assert "args[0]" not in told


def test_a_condition_that_is_dropped_from_a_copy_goes_by_the_name_that_is_shown(nothing_compiled):
    compiled = torch.compile(torch.nn.Linear(2, 2), backend="eager")
    compiled(torch.ones(5, 2))
    (entry,) = unjit.explain(compiled).entries
    with pytest.warns(UserWarning, match="what depends on input may be stale or wrong"):
        entry.copy(guards=unjit.rewrite.drop("input"))


class Gathering:
    def forward(self, first, /, second, *more, key=None, **others):
        pass


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("args[0].size()[0] == args[1].size()[0]", "first.size()[0] == second.size()[0]"),
        ("tensor 'args[3]' size mismatch at index 0. expected 2, actual 3", None),
        ("type(fn) is torch.nn.Linear", "type(self) is torch.nn.Linear"),
        ("kwargs['key'] == 'args[0]'", "key == 'args[0]'"),
        ("kwargs['first'] is None", "others['first'] is None"),
        ("self.fn == fn.args[0]", "self.fn == self.args[0]"),
        ("expected type of 'fn.a['x']' to be a tensor type, but found <class 'fn'>", None),
    ],
)
def test_names_of_a_forward(text, named):
    expected = named or text.replace("args[3]", "more[1]").replace("of 'fn.", "of 'self.")
    assert NamesBehind.of_class(Gathering)(text) == expected


def test_names_of_a_forward_that_is_not_known():
    gathering = lambda *args, **kwargs: None  # noqa: E731
    for names in (NamesBehind(), NamesBehind.of_forward(gathering.__code__)):
        assert names("args[0] is fn.x and kwargs['y']") == "args[0] is self.x and y"
