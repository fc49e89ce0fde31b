"""What is advised where Dynamo breaks or fails in what Python or torch does for a program that cannot see why."""

from __future__ import annotations

import array
import asyncio
import functools
import logging
import random
import sys
import typing

import pytest
import torch
from torch.utils._pytree import tree_map

import unjit
from needs import refused_before, since
from unjit.findings import concerns
from unjit.render.captures.run import overview, render_run

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    pytest.mark.skipif(not since("2.13"), reason="refused: older torch has other words for it"),
]
X = torch.ones(2, 3)


def told_of(kind, call, *args, raises=None):
    """What is advised, each once, and all that `unjit run` prints."""
    compiled = torch.compile(call, backend="aot_eager")
    with unjit.capture() as session:
        if raises is None:
            compiled(*args)
        else:
            with pytest.raises(raises):
                compiled(*args)
    told = [str(one.advice) for one in concerns(session.data) if one.kind == kind]
    return told, "\n".join(overview(session.data.report))


class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)
        made.inner = inner
        return made

    def __repr__(self):
        return "Wrapped(…)"

    @classmethod
    def __torch_dispatch__(cls, func, _types, args=(), kwargs=None):
        inner = tree_map(lambda one: one.inner if isinstance(one, Wrapped) else one, args)
        return cls(func(*inner, **(kwargs or {})))


class Flattened(Wrapped):
    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(inner, _meta, _size, _stride):
        return Flattened(inner["inner"])


def test_a_class_of_tensors_that_dynamo_does_not_take_for_one():
    told, _ = told_of("graph break", lambda x: x * 2, Wrapped(X))
    assert any(one.startswith("Dynamo follows a class of tensors with __torch_dispatch__ only where") for one in told)
    torch.compile(lambda x: x * 2, backend="aot_eager", fullgraph=True)(Flattened(X))


class Doubling:
    def times(self, x, k):
        return x * k

    doubled = functools.partialmethod(times, k=2)


def test_a_partialmethod_is_called_by_its_name():
    (told,), _ = told_of("graph break", lambda x: Doubling().doubled(x), X)
    assert told.startswith("Dynamo does not follow functools.partialmethod: define a method that makes the call.")


def gets_a_logger(x):
    logging.getLogger("unjit_tests").debug("seen")
    return x * 2


def test_a_logger_is_to_be_got_outside():
    told, _ = told_of("graph break", gets_a_logger, X)
    assert told[0].startswith("Get the logger outside of what is compiled, and log there")


@torch.compiler.disable(reason="it reads a file")
def reads(x):
    return x - 1


def test_the_programs_own_reason_for_a_break_is_told():
    (told,), _ = told_of("graph break", lambda x: reads(x) * 2, X)
    assert told == (
        "torch.compiler.disable switches Dynamo off for reads (it reads a file): accept the break, call it outside of "
        "what is compiled, or remove that."
    )


@pytest.mark.parametrize("draw", [random.random, lambda: random.choice([1, 2]), lambda: random.gauss(0, 1)])
def test_random_numbers_of_pythons(draw):
    (told,), _ = told_of("graph break", lambda x: x + draw(), X)
    assert "draw outside of what is compiled, and pass the result, or draw with torch, as by torch.rand." in told


def test_a_generator_is_seeded_outside():
    generator = torch.Generator()
    told, _ = told_of("graph break", lambda x: [generator.manual_seed(0), x * 2], X)
    assert told == ["Call manual_seed() of the generator outside of what is compiled."]


def retains(x):
    y = x * 2
    y.retain_grad()
    return y.sum()


def test_what_is_advised_on_retain_grad_helps():
    x = X.clone().requires_grad_()
    (told,), _ = told_of("graph break", retains, x)
    assert told.startswith("Give the tensor back, call retain_grad() on it outside of what is compiled, and compute")
    y = torch.compile(lambda x: x * 2, backend="aot_eager", fullgraph=True)(x)
    y.retain_grad()
    torch.compile(lambda y: y.sum(), backend="aot_eager", fullgraph=True)(y).backward()
    assert torch.equal(y.grad, X)


async def waits(x):
    await asyncio.sleep(0)
    return x * 2


def test_an_await_is_not_told_as_an_instruction():
    told, _ = told_of("graph break", waits, X, raises=AssertionError)
    assert told[0].startswith("Dynamo does not follow an await that waits for what is not written in Python")


def random_for_each(xs, **flags):
    return torch.func.vmap(lambda x: x + torch.rand_like(x), **flags)(xs)


def test_what_a_transform_refuses_is_told_with_what_helps():
    (told,), run = told_of("failed", random_for_each, X, raises=RuntimeError)
    assert "with randomness='different' others for each item, with 'same' the same for all." in told
    assert "when making fake tensor call: vmap: called random operation while in randomness error mode" in run
    for flag in ("different", "same"):
        torch.compile(random_for_each, backend="aot_eager", fullgraph=True)(X, randomness=flag)


def branches(x):
    return x if x.sum() > 0 else -x


def branches_for_each(xs):
    return torch.func.vmap(branches)(xs)


def test_a_break_within_a_transform_is_told_as_the_cause():
    (told,), _ = told_of("failed", branches_for_each, X, raises=RuntimeError)
    assert "Where that is compiled, a graph break within is the cause: mend it." in told


def test_what_an_exported_program_asks_for_is_told():
    exported = torch.export.export(torch.nn.ReLU(), (X,), dynamic_shapes=({0: torch.export.Dim("rows", max=4)},))
    (told,), _ = told_of("failed", exported.module(), torch.ones(9, 3), raises=AssertionError)
    assert told.startswith("The exported program takes only inputs for which `")
    assert "holds: pass such, or export it again with other inputs or dynamic_shapes." in told


def chosen(x, name):
    return x * 2 if name == "double" else x


@refused_before("2.9", "does not tell whether Dynamo still looks at a function")
def test_a_call_without_operations_that_ends_it_for_all_is_told_with_what_helps():
    compiled = torch.compile(chosen, backend="eager")
    with unjit.capture() as session:
        compiled(X, "double")
        compiled(X, "same")
    (told,) = (str(one.advice) for one in concerns(session.data) if one.kind == "not compiled")
    assert told.startswith("A call in which there are no tensor operations ends it for all others: find out before")


def test_an_entry_for_an_object_that_is_gone():
    compiled = torch.compile(lambda x, seen: x + (id(seen) != 0), backend="eager")
    with unjit.capture() as session:
        for _ in range(2):
            compiled(X, X + 1)
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "0/0 did not fit: it was made for one object, seen, which is gone" in again.what
    assert "make seen once, outside of what is compiled, and keep it for all calls" in again.advice
    told = render_run(session.data.report, verbose=True)
    assert "No entry is left: it was made for one object, seen, which is gone" in told
    assert "Cache line" not in told
    assert "run by unknown" not in told


def test_settings_and_marks_are_told_in_words():
    compiled, marked = torch.compile(lambda x: x * 2, backend="eager"), X.clone()
    torch._dynamo.mark_dynamic(marked, 0)
    with unjit.capture() as session:
        compiled(marked)
        with torch.autocast("cpu"), torch.no_grad():
            compiled(X)
        static = X.clone()
        torch._dynamo.mark_static(static, 1)
        compiled(static)
    told = "\n".join(overview(session.data.report))
    assert "0/0 did not fit: settings of torch differ: grad mode, autocast on cpu" in told
    assert "0/0 did not fit: a tensor has dimensions that mark_static marks, and had none of these" in told


VALUES = array.array("d", [1.0])
OF_ARRAYS = list[typing.TypeVar("T")]


def makes_a_type(x):
    made = OF_ARRAYS[int]
    return x + (made is not None)


@pytest.mark.parametrize(
    ("call", "helps"),
    [
        (lambda x: x + VALUES[0], "follow the [] of array: take the item outside"),
        (makes_a_type, "where a GenericAlias is given parameters: give the type a name outside"),
    ],
    ids=["array", "generic alias"],
)
def test_items_of_what_dynamo_does_not_know(call, helps):
    told, _ = told_of("graph break", call, X)
    assert any(helps in advice for advice in told)


def keeps_a_dimension(x):
    return torch.sum(x, dim=0, keepdim=x.shape[0] > 1)


def keeps_a_dimension_as_advised(x):
    return torch.sum(x, dim=0, keepdim=True if x.shape[0] > 1 else False)  # noqa: SIM210


def varying(call, *, fullgraph=False):
    return torch.compile(call, backend="eager", dynamic=True, fullgraph=fullgraph)


def test_a_test_of_a_size_is_no_plain_bool_for_an_operator():
    with unjit.capture() as session:
        assert varying(keeps_a_dimension)(X).shape == (1, 3)
    (told,) = [one for one in concerns(session.data) if one.kind == "graph break"]
    assert "sum() wants a plain bool as keepdim, and gets a test of a size" in str(told.advice)
    ((broken,),) = [one.breaks for function in session.functions for one in function.compiles]
    assert broken.explanation is None  # torch gives none, and begins its hints in the line after it
    torch._dynamo.reset()
    with unjit.capture() as session, pytest.raises(torch._dynamo.exc.Unsupported):
        varying(keeps_a_dimension, fullgraph=True)(X)
    assert any("sum() wants a plain bool as keepdim" in str(one.advice) for one in concerns(session.data))
    assert varying(keeps_a_dimension_as_advised, fullgraph=True)(X).shape == (1, 3)


def test_an_argument_of_a_wrong_type_is_named():
    told, _ = told_of("graph break", lambda x: torch.nn.functional.linear(x, 3), X, raises=TypeError)
    assert any("that the argument weight of linear() must be Tensor, not int" in advice for advice in told)


LOGGER = logging.getLogger("unjit_tests")


def logs(x):
    LOGGER.warning("seen")
    return x + 1


def test_in_what_logging_does_all_advice_is_on_the_call_of_it():
    told, _ = told_of("graph break", logs, X)
    assert told
    assert all(advice.startswith("Log outside of what is compiled") for advice in told), told


def items_as_numbers(x):
    losses = {"a": x.sum(), "b": x.mean()}
    return losses["a"] + 1, {key: value.item() for key, value in losses.items()}


def counted_as_numbers(x):
    losses = [x.sum(), x.mean()]
    return losses[0] + 1, {key: value.item() for key, value in enumerate(losses)}


def listed_as_numbers(x):
    losses = {"a": x.sum(), "b": x.mean()}
    return losses["a"] + 1, {key: value.item() for key, value in list(losses.items())}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there a comprehension that breaks is run by itself")
@pytest.mark.parametrize(
    ("call", "helps"),
    [
        (items_as_numbers, "Dynamo cannot hand a half-read iterator over a dict on"),
        (counted_as_numbers, "Dynamo cannot hand a half-read generator, or what it follows as one, such as enumerate"),
    ],
    ids=["items", "enumerate"],
)
def test_a_comprehension_that_breaks_and_cannot_go_on_says_why(call, helps):
    told, _ = told_of("graph break", call, X)
    assert any(advice.startswith(helps) for advice in told), told
    torch._dynamo.reset()
    told, _ = told_of("graph break", listed_as_numbers, X)
    assert not any("Dynamo cannot hand" in advice for advice in told)


PARAMETER = torch.nn.Parameter(torch.ones(3))
OPTIMIZER = torch.optim.SGD([PARAMETER], lr=0.1)


def zeroes(x):
    OPTIMIZER.zero_grad()
    return x + PARAMETER


def packs(x):
    return torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]), batch_first=True).data


@pytest.mark.parametrize(
    ("call", "name"), [(zeroes, "Optimizer.zero_grad"), (packs, "pack_padded_sequence")], ids=["zero_grad", "packs"]
)
def test_a_function_that_torch_leaves_alone_is_called_outside(call, name):
    told, _ = told_of("graph break", call, X)
    assert any(f"Dynamo does not follow {name}: call it outside of what is compiled" in advice for advice in told)
