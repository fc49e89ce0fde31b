"""What `unjit.why` and `unjit.explain` say of programs as people write them: configurations, enums, patched modules."""

from __future__ import annotations

import dataclasses
import enum
import re

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs, refused_before
from unjit.findings import concerns
from unjit.guards.actual import actual_of
from unjit.guards.values import member_name
from unjit.model import Message, Unknown
from unjit.torch_private.probes.guard_probes import NODE_TYPE

X = torch.ones(3)


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


def advised(compiled, *args):
    return " ".join(unjit.why(compiled, *args).data.advice)


def failed_so_far(function):
    """By entry, what is told of its guards that failed."""
    entries = unjit.explain(function).entries
    return {str(entry.compile_id): re.findall(r"(?<=Failed so far: ).*(?=\.)", str(entry)) for entry in entries}


def total(batch):
    return sum(value.sum() for value in batch.values())


@needs(NODE_TYPE)
def test_a_dict_whose_items_failed_is_not_taken_for_the_state_of_torch(nothing_compiled):
    compiled = torch.compile(total, backend="eager", dynamic=False)
    compiled({"a": X, "b": X + 1})
    compiled({"a": X.double(), "b": X + 1})
    assert failed_so_far(total)["0/0"] == ["batch['a'] (1 time)"]


@needs(NODE_TYPE)
def test_a_dict_and_its_items_are_counted_each_by_itself(nothing_compiled):
    compiled = torch.compile(total, backend="eager", dynamic=False)
    compiled({"a": X, "b": X + 1})
    compiled({"a": X})
    compiled({"a": X.double(), "b": X + 1})
    with torch.no_grad():
        compiled({"a": X, "b": X + 1})
    assert failed_so_far(total)["0/0"] == ["torch state (1 time), batch (1 time), batch['a'] (1 time)"]


@refused_before("2.9", "asks torch for guards on tensors")
def test_where_a_tensor_was_and_is_none_the_tensor_is_told_as_elsewhere(nothing_compiled):
    compiled = torch.compile(lambda x: None if x is None else x + 1, backend="eager")
    compiled(X)
    told = str(unjit.why(compiled, None))
    assert "x: expected a tensor of float32 on cpu, shape (3,), stride (1,), actual None" in told
    torch._dynamo.reset()
    with torch.inference_mode():
        compiled(torch.ones(3))
        told = str(unjit.why(compiled, None))
    assert "x: expected a tensor of float32 on cpu, shape (3,), stride (1,), dispatch keys CPU, " in told


def test_settings_that_torch_does_not_tell_are_left_out_of_the_advice(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(X)
    with torch.no_grad():
        advice = advised(compiled, X)
    assert "Call it under the same settings of torch as at the compile" in advice
    assert "unknown" not in advice


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
@needs(NODE_TYPE)
def test_the_nearest_entry_is_the_one_with_the_fewest_settings_to_change(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(X)
    with torch.no_grad():
        torch.set_default_dtype(torch.float64)
        try:
            compiled(X)
        finally:
            torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(True)
    try:
        advice = advised(compiled, X)
    finally:
        torch.use_deterministic_algorithms(False)
    assert "(deterministic_algorithms=False)" in advice


@needs(NODE_TYPE)
def test_the_nearest_entry_is_the_one_with_the_fewest_properties_to_change(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    compiled(torch.ones(4))
    compiled(torch.ones(5, dtype=torch.float64))
    assert advised(compiled, torch.ones(4, dtype=torch.float16)).startswith("Convert x to one dtype")
    assert "mark_dynamic" not in advised(compiled, torch.ones(4, dtype=torch.float16))


@needs(NODE_TYPE)
def test_members_of_an_enum_go_by_their_names(nothing_compiled):
    compiled = torch.compile(lambda x, mode: x + 1 if mode is Mode.FAST else x, backend="eager")
    compiled(X, Mode.FAST)
    answer = unjit.why(compiled, X, Mode.SLOW)
    (failed,) = answer.failed(0)
    assert (failed.expected, failed.actual) == ("Mode.FAST", "Mode.SLOW")
    (advice,) = answer.data.advice
    assert advice == "mode is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value."


def test_a_member_whose_guard_torch_prints_in_a_form_that_is_not_known_is_told(nothing_compiled):
    """As torch before 2.13 prints it of an item of a dict that has a member for a key."""

    def scaled(x, by):
        for mode in by.values():
            x = x * 2 if mode is Mode.FAST else x + 1
        return x

    compiled = torch.compile(scaled, backend="eager")
    compiled(X, {Mode.FAST: Mode.FAST, "other": Mode.FAST})
    actual = [failed.actual for failed in unjit.why(compiled, X, {Mode.FAST: Mode.FAST, "other": Mode.SLOW}).failed(0)]
    assert "Mode.SLOW" in actual[0]

    guards = unjit.explain(compiled).entries[0].guards
    guard = next(one for one in guards if one.kind == "ID_MATCH")
    not_known = Unknown(Message("its text has no form that is known"))
    unread = dataclasses.replace(guard, check=not_known, expected=not_known)
    assert actual_of(unread, Mode.SLOW)[1].startswith("Mode.SLOW at 0x")


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


@needs(NODE_TYPE)
def test_members_of_a_flag_go_by_their_names_or_their_value(nothing_compiled):
    compiled = torch.compile(lambda x, access: x + 1 if access is Access.READ else x, backend="eager")
    compiled(X, Access.READ)
    (failed,) = unjit.why(compiled, X, Access(0)).failed(0)
    assert (failed.expected, failed.actual) == ("Access.READ", "Access(0)")
    (failed,) = unjit.why(compiled, X, Access.READ | Access.RUN).failed(0)
    assert failed.actual == "Access.READ | Access.RUN"


@needs(NODE_TYPE)
def test_a_guard_on_several_members_of_a_flag_names_them(nothing_compiled):
    compiled = torch.compile(lambda x, access: x + 1 if access & Access.READ else x, backend="eager")
    compiled(X, Access.READ | Access.RUN)
    told = [str(one.condition) for one in unjit.explain(compiled).entries[0].guards if one.subject == "access"]
    assert "access is Access.READ | Access.RUN" in told
    answer = unjit.why(compiled, X, Access.WRITE | Access.RUN)
    failed = answer.failed(0)[0]
    assert (failed.expected, failed.actual) == ("Access.READ | Access.RUN", "Access.WRITE | Access.RUN")
    assert answer.data.advice == (
        "access is a constant to Dynamo: keep it the same in all calls, or accept an entry for each value.",
    )


class Odd(enum.Flag):
    """A flag in which two bits together have a name of their own."""

    ONE = 1
    TWO = 2
    BOTH = 3
    FOUR = 4


@pytest.mark.parametrize(
    ("member", "name"),
    [
        (Odd.ONE, "Odd.ONE"),
        (Odd.ONE | Odd.TWO, "Odd.BOTH"),
        (Odd.BOTH | Odd.FOUR, "Odd.ONE | Odd.TWO | Odd.FOUR"),
        (enum.IntFlag("Loose", "ONE TWO")(9), "Loose(9)"),
    ],
)
def test_members_of_a_flag_by_name(member, name):
    assert member_name(member) == name


@needs(NODE_TYPE)
def test_an_object_in_the_place_of_a_member_is_told_by_its_address(nothing_compiled):
    compiled = torch.compile(lambda x, mode: x + 1 if mode is Mode.FAST else x, backend="eager")
    compiled(X, Mode.FAST)
    (failed,) = unjit.why(compiled, X, enum.Enum("Other", "ONE").ONE).failed(0)
    assert " at 0x" in failed.expected
    assert re.fullmatch(r"Other\.ONE at 0x\w+", failed.actual)


@pytest.mark.parametrize(("second", "third"), [(3, 4), (3.5, 4.5)])
def test_advice_on_a_number_is_true_of_the_next_compiles(nothing_compiled, second, third):
    by = type(second)(2)
    compiled = torch.compile(lambda x, by: x * by, backend="eager")
    compiled(X, by)
    with torch._dynamo.config.patch(specialize_float=False):
        assert "lets most numbers vary by themselves from the second value on" in advised(compiled, X, second)
        compiled(X, second)
        assert unjit.why(compiled, X, third).outcome == "runs an entry"


class Times(torch.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x):
        return x * self.by


def times(by):
    return lambda x: x * by


BY = 1


def by_the_global(by):
    globals()["BY"] = by
    return lambda x: x * BY


@needs(NODE_TYPE)
@pytest.mark.parametrize(
    ("make", "values", "do", "varies"),
    [
        (Times, (2, 3, 4), "set it once", False),
        (Times, (2.5, 3.5, 4.5), "set it once", True),
        (times, (2, 3, 4), "keep it the same", True),
        (times, (2.5, 3.5, 4.5), "keep it the same", True),
        (by_the_global, (2, 3, 4), "keep it the same", False),
        (by_the_global, (2.5, 3.5, 4.5), "keep it the same", True),
    ],
)
def test_what_a_number_is_kept_in_decides_whether_it_is_said_to_vary(nothing_compiled, make, values, do, varies):
    first, second, third = values
    with unjit.capture() as session, torch._dynamo.config.patch(specialize_float=False):
        torch.compile(make(first), backend="eager")(X)
        told = advised(torch.compile(make(second), backend="eager"), X)
        torch.compile(make(second), backend="eager")(X)
        outcome = unjit.why(torch.compile(make(third), backend="eager"), X).outcome
    (again,) = [one.advice for one in concerns(session.data) if one.kind == "recompile"]
    assert (outcome == "runs an entry") == varies
    for said in (told, again):
        assert do in said
        assert ("from the second value on" in said) == varies
        assert "pass it as a tensor, or" not in said


@needs(NODE_TYPE)
def test_the_setting_that_lets_an_int_of_a_module_vary_is_told_and_does(nothing_compiled):
    compiled = [torch.compile(Times(by), backend="eager") for by in (2, 3, 4)]
    compiled[0](X)
    assert "set torch._dynamo.config.allow_unspec_int_on_nn_module = True" in advised(compiled[1], X)
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_unspec_int_on_nn_module=True):
        compiled[0](X), compiled[1](X)
        assert unjit.why(compiled[2], X).outcome == "runs an entry"


INF = float("inf")


@pytest.mark.parametrize(("first", "second", "third"), [(2, 2.5, 3), (2, INF, 3.5), (2.5, INF, 3.5)])
def test_a_number_that_dynamo_lets_not_vary_is_not_said_to(nothing_compiled, first, second, third):
    compiled = torch.compile(lambda x, by: x * by, backend="eager")
    compiled(X, first)
    assert "second value" not in advised(compiled, X, second)
    compiled(X, second)
    assert unjit.why(compiled, X, third).outcome == "compiles"


def test_a_number_that_was_not_let_vary_is_not_said_to(nothing_compiled):
    compiled = torch.compile(lambda x, by: x * by, backend="eager", dynamic=False)
    compiled(X, 2), compiled(X, 3)
    assert "by is a constant to Dynamo: pass it as a tensor" in advised(compiled, X, 4)
    assert "second value" not in advised(compiled, X, 4)


@needs(NODE_TYPE)
def test_advice_on_a_size_is_true_of_the_next_compiles(nothing_compiled):
    compiled = torch.compile(lambda x: x * 2, backend="eager")
    compiled(X)
    assert "Dynamo lets it vary by itself from the second size on" in advised(compiled, torch.ones(4))
    compiled(torch.ones(4))
    assert unjit.why(compiled, torch.ones(5)).outcome == "runs an entry"


@needs(NODE_TYPE)
def test_advice_on_the_size_of_a_parameter_is_true_of_the_next_compiles(nothing_compiled):
    def weight(size):
        return torch.nn.Parameter(torch.ones(size))

    compiled = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    compiled(weight(3))
    said = advised(compiled, weight(4))
    assert "torch._dynamo.config.force_parameter_static_shapes = False" in said
    assert "mark_dynamic" not in said
    compiled(weight(4))
    assert unjit.why(compiled, weight(5)).outcome == "compiles"
    torch._dynamo.reset()
    with torch._dynamo.config.patch(force_parameter_static_shapes=False):
        compiled(weight(3))
        assert unjit.why(compiled, weight(4)).outcome == "runs an entry"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.part(x) + 1


@needs(NODE_TYPE)
def test_a_forward_that_was_set_on_a_part_is_named(nothing_compiled):
    net = Net()
    compiled = torch.compile(net, backend="eager")
    compiled(X)
    net.part.forward = lambda x: x
    answer = unjit.why(compiled, X)
    failed = next(one for one in answer.failed(0) if one.kind == "DICT_CONTAINS")
    assert (failed.expected, failed.actual) == ("no 'forward'", "one")
    assert "self.part has 'forward' set on itself" in " ".join(answer.data.advice)
    compiled(X)
    del net.part.forward
    assert unjit.why(compiled, X).outcome == "runs an entry"


class Doubling:
    def __init__(self, *, own):
        if own:
            self.run = lambda x: x * 2

    def run(self, x):
        return x + x


@needs(NODE_TYPE)
def test_what_another_object_has_of_its_own_is_not_said_to_have_changed(nothing_compiled):
    one, other = Doubling(own=False), Doubling(own=True)
    compiled = torch.compile(lambda x, by: by.run(x), backend="eager")
    compiled(X, one)
    assert "by has 'run' set on itself, unlike at the compile: do that in all calls or in none" in advised(
        compiled, X, other
    )


@needs(NODE_TYPE)
def test_a_part_of_another_class_is_not_said_to_be_passed(nothing_compiled):
    net = Net()
    compiled = torch.compile(net, backend="eager")
    compiled(X)
    net.part = torch.nn.Identity()
    assert advised(compiled, X).startswith("Let self.part be of the same class in all calls")


@needs(NODE_TYPE)
def test_a_key_that_decides_is_advised_to_be_there_or_not(nothing_compiled):
    compiled = torch.compile(lambda x, options: x * 2 if "twice" in options else x + 1, backend="eager")
    compiled(X, {})
    advice = advised(compiled, X, {"twice": True})
    assert "Put 'twice' into options in all calls or in none" in advice or "Give options the same keys" in advice


L = [1, 2]


@needs(NODE_TYPE)
def test_a_variable_called_as_torch_calls_the_frame_is_not_taken_for_torchs_state(nothing_compiled, monkeypatch):
    def function(x):
        return x * len(L)

    compiled = torch.compile(function, backend="eager")
    compiled(X)
    monkeypatch.setitem(globals(), "L", [1, 2, 3])
    answer = unjit.why(compiled, X)
    assert [str(failed.subject) for failed in answer.failed(0)] == ["L"]
    assert "L: expected 2 items, actual 3 items" in str(answer)


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
def test_torchs_state_is_told_as_torchs(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(X)
    with torch.no_grad():
        assert "torch: expected grad_mode=True" in str(unjit.why(compiled, X))


class Scaling(torch.nn.Module):
    by = 2

    def forward(self, x):
        return x * self.by


class More(Scaling):
    def forward(self, x):
        return super().forward(x) + 1


@needs(NODE_TYPE)
def test_what_a_class_holds_is_written_as_its_attribute(nothing_compiled, monkeypatch):
    compiled = torch.compile(More(), backend="eager")
    compiled(X)
    monkeypatch.setattr(Scaling, "by", 3)
    subjects = [str(failed.subject) for failed in unjit.why(compiled, X).failed(0)]
    assert subjects in (["type(self).__mro__[1].by"], ["self.by"])


@needs(NODE_TYPE)
def test_a_guard_on_a_member_of_an_enum_names_it(nothing_compiled):
    compiled = torch.compile(lambda x, mode: x + 1 if mode is Mode.FAST else x - 1, backend="eager")
    compiled(X, Mode.FAST), compiled(X, Mode.SLOW)
    entries = unjit.explain(compiled).entries
    told = [[str(one.condition) for one in entry.guards if one.subject == "mode"] for entry in entries]
    assert told == [["mode is Mode.SLOW"], ["mode is Mode.FAST"]]
    (differing,) = (one for one in unjit.diff(*entries).data.guards if one.subject == "mode")
    assert re.fullmatch(r"Mode\.SLOW at 0x\w+", str(differing.first))


@needs(NODE_TYPE)
def test_a_guard_on_a_class_names_the_class(nothing_compiled):
    """torch prints of a class what it prints of an object of it: `type=<class 'int'>`."""
    compiled = torch.compile(lambda x, kind: x + 1 if kind is int else x - 1, backend="eager")
    compiled(X, int)
    (entry,) = unjit.explain(compiled).entries
    assert [str(one.condition) for one in entry.guards if one.subject == "kind"] == ["kind is int"]
    (failed,) = unjit.why(compiled, X, Mode).failed(0)
    assert re.fullmatch(r"the class int at 0x\w+", str(failed.expected))
    assert re.fullmatch(r"the class Mode at 0x\w+", str(failed.actual))


def test_a_guard_on_an_ellipsis_is_read(nothing_compiled):
    compiled = torch.compile(lambda x, at: x[at] + 1, backend="eager")
    compiled(X, ...)
    (failed,) = unjit.why(compiled, X, 0).failed(0)
    assert (failed.expected, failed.actual) == ("Ellipsis", "0")


def test_what_is_no_tensor_is_not_told_to_be_one_twice(nothing_compiled):
    compiled = torch.compile(lambda x, y: x + y, backend="eager")
    compiled(X, X + 1)
    for value in (None, 3):
        answer = unjit.why(compiled, value, value)
        assert [(str(one.subject), one.actual) for one in answer.failed(0)] == [
            ("x", repr(value)),
            ("y", repr(value)),
        ]
        assert not any("clone" in advice for advice in answer.data.advice)
    (failed,) = unjit.why(compiled, X, X).failed(0)
    assert failed.actual == "x and y are one object"


FACTOR = 2


@pytest.mark.skipif(
    not hasattr(torch.compiler, "skip_guard_on_globals_unsafe"), reason="refused: this torch has no filters"
)
def test_that_guards_were_left_out_is_said(nothing_compiled, monkeypatch):
    def function(x):
        return x * FACTOR

    options = {"guard_filter_fn": torch.compiler.skip_guard_on_globals_unsafe}
    filtered = torch.compile(function, backend="eager", options=options)
    filtered(X)
    monkeypatch.setitem(globals(), "FACTOR", 3)
    answer = unjit.why(filtered, X)
    assert (answer.outcome, float(filtered(X)[0])) == ("runs an entry", 2.0)
    assert "This torch.compile call leaves guards out (guard_filter_fn: skip_guard_on_globals_unsafe)" in str(answer)
    assert "leaves guards out" not in str(unjit.why(torch.compile(function, backend="eager"), X))
