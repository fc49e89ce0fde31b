"""`entry.guards` as Python: source that runs, the predicate, Dynamo's own answer; and when the entry is gone."""

from __future__ import annotations

import dataclasses
import enum
import functools
import gc
import inspect
import linecache
import math
import subprocess
import sys
from typing import NamedTuple

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs, needs_dict_sizes, refused_before
from unjit.errors import BadCall, BadTarget, Gone, Unsupported
from unjit.model import Unknown
from unjit.torch_private.probes.guard_probes import NODE_TYPE

SCALE = 2.0


def scaled(x):
    return x * SCALE


class Colour(enum.Enum):
    RED = 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleDict({"first": torch.nn.Linear(3, 3), "second": torch.nn.Linear(3, 3)})
        self.rate = 0.5

    def forward(self, x, options, *, colour=Colour.RED):
        for layer in self.layers.values():
            x = layer(x)
        for value in options.values():
            x = x + value
        return x * SCALE * self.rate if colour is Colour.RED else x


def entry_of(target, *calls):
    torch._dynamo.reset()
    compiled = torch.compile(target, backend="eager")
    for arguments in calls:
        compiled(*arguments)
    return unjit.explain(compiled).entries[0]


@pytest.fixture
def net():
    return Net()


@pytest.fixture
def guards(net):
    return entry_of(net, (torch.ones(2, 3), {"a": 1, "b": 2})).guards


@needs(NODE_TYPE)
@needs_dict_sizes
def test_predicate_and_dynamo_agree_on_calls(net, guards):
    options = {"a": 1, "b": 2}
    for arguments, keywords, expected in [
        ((torch.ones(2, 3), options), {}, True),
        ((torch.ones(2, 3), options), {"colour": Colour.RED}, True),
        ((torch.ones(2, 3), {"b": 2, "a": 1}), {}, False),
        ((torch.ones(2, 3), {"a": 1, "b": 2, "c": 3}), {}, False),
        ((torch.ones(2, 3), {"a": 1, "b": 2.0}), {}, False),
        ((torch.ones(2, 3, dtype=torch.float64), options), {}, False),
        ((torch.ones(4, 3), options), {}, False),
    ]:
        frame = guards.frame(*arguments, **keywords)
        assert frame["self"] is net
        assert guards.predicate(frame) is expected
        assert guards.check(*arguments, **keywords) is expected


@needs(NODE_TYPE)
def test_each_condition_is_a_readable_line_with_the_users_line(guards):
    lines = [line.strip() for line in guards.source.splitlines()]
    shape = next(line for line in lines if "is_tensor_like(x," in line)
    assert "dtype=torch.float32, device='cpu', shape=(2, 3), stride=(3, 1), requires_grad=False" in shape
    assert "if not same_value(G['SCALE'], 2.0): return False" in " ".join(lines)
    assert "if not dict_of(options, 2): return False" in lines
    assert "if not same_value(key_at(options, 0), 'a'): return False" in " ".join(lines)
    assert any(line.startswith("if ") and "# x = x + value" in line for line in lines)


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
@needs_dict_sizes
def test_the_source_runs_by_itself(guards):
    namespace = {"G": globals()}
    exec(guards.source, namespace)
    frame = guards.frame(torch.ones(2, 3), {"a": 1, "b": 2})
    assert namespace["guards"](frame)
    assert not namespace["guards"]({**frame, "x": torch.ones(2, 3).double()})
    assert not namespace["guards"]({})


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    scale: int = 2
    shift: int = 0


class Sized:
    def __init__(self, **sizes):
        self.sizes = sizes


class Named(NamedTuple):
    name: str
    sizes: dict


WAYS_TO_A_DICT = {
    "through a named tuple": ((Named("a", {"b": 1}),), lambda named: named.sizes),
    "through a tuple": (((Sized(a=1), 2),), lambda pair: pair[0].sizes),
    "through a list": (([2, Sized(a=1)],), lambda pair: pair[1].sizes),
    "under a number": (({4: Sized(a=1)},), lambda known: known[4].sizes),
    "beside a key that is asked for": (
        ({"b": Sized(a=1), "c": 2},),
        lambda known: next(iter(known.values())).sizes if "c" in known else {},
    ),
}


@refused_before("2.12", "does not tell how many items such a dict must have")
@needs_dict_sizes
@pytest.mark.parametrize("way", WAYS_TO_A_DICT)
def test_the_size_of_a_dict_within_other_values(nothing_compiled, way):
    """What stands in for the values on the way is as the other guards on them ask for."""
    (known,), read = WAYS_TO_A_DICT[way]

    def summed(x, known):
        for size in read(known).values():
            x = x + size
        return x

    torch.compile(summed, backend="eager")(torch.ones(2), known)
    guards = unjit.explain(summed).entries[0].guards
    assert "unreadable(" not in guards.source
    assert guards.predicate(guards.frame(torch.ones(2), known))


@refused_before("2.12", "does not tell how many items such a dict must have")
@needs_dict_sizes
def test_the_size_of_a_dict_within_one_of_a_known_length_can_be_read():
    def scaled(x, **options):
        options = dataclasses.replace(options["options"], shift=options["shift"])
        return x * options.scale + options.shift

    def passed_on(*args, **options):
        return scaled(*args, **options)

    torch._dynamo.reset()
    torch.compile(passed_on, backend="eager")(torch.ones(3), options=Options(), shift=1)
    (entry,) = unjit.explain(passed_on).entries
    frame = entry.guards.frame(torch.ones(3), options=Options(), shift=1)
    assert entry.guards.predicate(frame)
    assert "unreadable" not in entry.guards.source


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
@needs_dict_sizes
def test_a_dict_of_unknown_size_is_named(nothing_compiled):
    @functools.singledispatch
    def shown(x):
        return x

    shown.register(torch.Tensor, lambda x: x + 1)
    torch.compile(shown, backend="eager")(torch.ones(2))
    conditions = [str(guard.condition) for guard in unjit.explain(shown).entries[0].guards]
    assert conditions
    assert [condition for condition in conditions if condition.startswith("unknown")] == []


def test_a_name_may_hold_anything():
    def g(x):
        return x + 1

    g.__qualname__ = 'a\0"""b\\'
    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    compiled(torch.ones(3))
    (entry,) = unjit.explain(compiled).entries
    compile(entry.guards.source, "guards.py", "exec")
    assert entry.guards.check(torch.ones(3))


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
@needs_dict_sizes
def test_every_guard_has_a_check_and_says_what_it_expects(guards):
    assert [guard.kind for guard in guards if isinstance(guard.check, Unknown)] == []
    scale = next(guard for guard in guards if guard.subject == "SCALE")
    assert (scale.check, scale.expected) == ("same_value(_, 2.0)", "2.0")
    options = next(guard for guard in guards if guard.subject == "options")
    assert (options.kind, options.check) == ("DICT_MANAGER", "dict_of(_, 2)")
    assert options.condition == "options is a dict of 2"


def test_asking_counts_nothing(guards):
    before = [node.failures for node in guards.tree.walk()]
    assert not guards.check(torch.ones(9, 3), {})
    assert [node.failures for node in guards.tree.walk()] == before
    again = unjit.explain(Net.forward).entries[0].guards
    assert sum(node.failures for node in again.tree.walk()) == sum(before)


def test_arguments_that_do_not_fit_are_told(guards):
    with pytest.raises(BadCall, match=r"do not fit .*forward\(self, x, options, \*, colour=.*missing"):
        guards.check(torch.ones(2, 3))


def test_who_passes_self_once_more_is_told_that_it_is_known():
    class Doubled(torch.nn.Module):
        def forward(self, x):
            return x * 2

    net = Doubled()
    torch.compile(net, backend="eager")(torch.ones(2))
    (entry,) = unjit.explain(net).entries
    with pytest.raises(BadCall, match=r"do not fit .*\(self, x\), without self, which is known: too many"):
        entry.check(net, torch.ones(2))


def replaced(x, table):
    table["last"] = x * 2
    return x


def test_what_is_looked_up_and_not_asked_about_must_be_there():
    x = torch.ones(3)
    torch.compile(replaced, backend="eager")(x, {"last": x})
    guards = unjit.explain(replaced).entries[0].guards
    assert not guards.check(x, {"first": x})
    assert not guards.predicate({"x": x, "table": {"first": x}})
    assert guards.predicate({"x": x, "table": {"last": 1}}) == guards.check(x, {"last": 1})
    told = str(unjit.why(replaced, x, {"first": x}))
    assert "table['last']: expected to be there, actual missing (KeyError: 'last')" in told


@needs(NODE_TYPE)
def test_closures_defaults_and_rest_arguments():
    bias = torch.ones(3)

    def f(x, k=2, *rest, c=1, **more):
        return x * k + bias + c + sum(rest) + sum(more.values())

    entry = entry_of(f, (torch.ones(3), 3, 4))
    frame = entry.guards.frame(torch.ones(3), 3, 4)
    assert frame["bias"] is bias
    assert (frame["rest"], frame["c"], frame["more"]) == ((4,), 1, {})
    assert entry.guards.predicate(frame)
    assert entry.guards.check(torch.ones(3), 3, 4)
    assert not entry.guards.check(torch.ones(3), 3, 5)
    assert not entry.guards.check(torch.ones(3), 3, 4, c=2)


def test_a_resume_function_needs_a_frame():
    scale = 2

    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * scale

    torch._dynamo.reset()
    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(3))
    resumed = unjit.explain(compiled).entries[0].resume_functions[0].entries[0]
    with pytest.raises(BadTarget, match="check_frame"):
        resumed.guards.check(torch.ones(3))
    names = [str(child.source)[3:-2] for child in resumed.guards.tree.children if str(child.source).startswith("L[")]
    frame = {name: {"y": torch.ones(3), "scale": 2}.get(name) for name in names}
    assert resumed.guards.check_frame(frame)
    assert resumed.guards.predicate(frame)


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
def test_a_dead_entry_is_never_asked():
    def f(x, k):
        return x + k

    guards = entry_of(f, (torch.ones(3), 1)).guards
    source, predicate = guards.source, guards.predicate
    frame = guards.frame(torch.ones(3), 1)
    torch._dynamo.reset()
    gc.collect()
    for question in (lambda: guards.check(torch.ones(3), 1), lambda: guards.predicate, lambda: predicate(frame)):
        with pytest.raises(Gone):
            question()
    assert guards.source == source


def test_an_invalidated_entry_is_gone():
    """The identity of a callable in a global is guarded; when it dies, Dynamo drops the entry."""

    class Adder:
        def __call__(self, x):
            return x + 1

    def f(x, add):
        return add(x)

    adder = Adder()
    guards = entry_of(f, (torch.ones(3), adder.__call__)).guards
    assert guards.check(torch.ones(3), adder.__call__)
    manager = guards.manager()
    entry = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(f.__code__)[0]
    deleted = torch._dynamo.guards.DeletedGuardManagerWrapper("a test")
    manager.extra_state.invalidate(entry, deleted)
    with pytest.raises(Gone, match="invalidated"):
        guards.check(torch.ones(3), adder.__call__)


def test_importing_the_runtime_needs_no_torch():
    script = "import sys; sys.modules['torch'] = None; import unjit.guards.runtime, unjit.guards.source"
    subprocess.run([sys.executable, "-c", script], check=True)


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
def test_source_that_is_run_without_its_globals_says_so(nothing_compiled):
    torch.compile(scaled, backend="eager")(torch.ones(3))
    namespace = {}
    exec(unjit.explain(scaled).entries[0].guards.source, namespace)
    with pytest.raises(Unsupported, match="set G, where their source is run, to the globals"):
        namespace["guards"]({"x": torch.ones(3)})
    namespace["G"] = globals()
    assert namespace["guards"]({"x": torch.ones(3)})


def test_guards_that_are_called_alike_have_texts_of_their_own():
    def made():
        def g(x):
            return x + 1

        return g

    def compiled(value):
        torch._dynamo.reset()
        function = torch.compile(made(), backend="eager")
        function(value)
        return unjit.explain(function).entries[0].guards.predicate

    one, other = compiled(torch.ones(3)), compiled(torch.ones(3, 4))
    files = [inspect.unwrap(predicate).__code__.co_filename for predicate in (one, other)]
    assert "(3, 4)" in "".join(linecache.getlines(files[1]))
    assert "(3, 4)" not in "".join(linecache.getlines(files[0]))



@refused_before("2.9", "prints only a part of some guards")
def test_items_of_a_dict_that_torch_names_by_their_place(nothing_compiled):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([parameter], foreach=False)
    step = torch.compile(optimizer.step, backend="eager")
    for _ in range(2):
        parameter.grad = torch.ones(3)
        step()
    entries = [entry for function in unjit.explain(step).functions for entry in function.entries]
    on_state = [guard for entry in entries for guard in entry.data.guards if "'exp_avg'" in str(guard.source)]
    assert {str(guard.kind) for guard in on_state} >= {"ID_MATCH"}
    assert [guard.parts for guard in on_state if isinstance(guard.check, Unknown)] == []


@refused_before("2.13", "asks torch about them")
@pytest.mark.parametrize("number", [complex(1, math.inf), complex(-math.inf, -math.inf), complex(math.inf, 2)])
def test_infinite_complex_numbers_are_asked_about_in_python(nothing_compiled, number):
    """torch prints a name, `infj`, that Python does not have."""

    def f(x, k):
        return x + (1 if k else 2)

    guards = entry_of(f, (torch.ones(3), number)).guards
    assert "ask_torch" not in guards.source
    for given in (number, 1j, number.real):
        frame = guards.frame(torch.ones(3), given)
        assert guards.predicate(frame) is guards.check_frame(frame) is (given is number)
