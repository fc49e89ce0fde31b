"""Programs run twice, as they are and with every code object that Dynamo generates replaced by its recompiled source.

`collect` gives what both runs did, and the decompiler's answer for each generated code object and each resume function.
"""

from __future__ import annotations

import contextlib
import copy
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType

import torch
import torch._dynamo
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._dynamo.resume_execution import ContinueExecutionCache
from torch.utils._pytree import tree_leaves

import unjit
from corpus import NO_BACKWARD, awkward, models, more_awkward

Result = tuple[object, ...]
Program = Callable[[str], Result]


@dataclass
class Seen:
    """What one run did."""

    result: Result | None = None
    entries: dict[str, int] = field(default_factory=dict)  # how many cache entries each function has
    frames: dict[str, int] = field(default_factory=dict)  # Dynamo's own count of what it compiled and skipped
    shared: int = 0  # how often generated code has a generator's or a function's code that other generated code has too
    answers: list[unjit.Decompiled] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def opaque(self) -> list[str]:
        """What was not recovered, each with the reason."""
        bad = [answer for answer in self.answers if str(answer.verdict) == "opaque"]
        return [*self.errors, *(f"{answer.code.co_name}: {answer.reason}" for answer in bad)]


@contextlib.contextmanager
def generated(hook):
    handle = register_bytecode_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def run(program: Program, backend: str = "eager", *, replace: bool = False) -> Seen:
    """One run, from a clean Dynamo."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    random.seed(0)
    if awkward is not None:
        awkward.STATE.update(calls=0, log=[])
    more_awkward.SCALE = 2.0
    seen, originals, inner = Seen(), {}, []

    def decompiled(code: CodeType) -> CodeType | None:
        try:
            seen.answers.append(unjit.decompile(code))
        except Exception as error:
            seen.errors.append(f"{code.co_name}: {type(error).__name__}: {error}")
            return None
        return seen.answers[-1].recompile()

    def hook(original: CodeType, new: CodeType) -> CodeType | None:
        originals[original] = None
        inner.extend(const for const in new.co_consts if isinstance(const, CodeType))
        return decompiled(new) if replace else None

    with generated(hook):
        seen.result = program(backend)
    if replace:
        for resumes in ContinueExecutionCache.cache.values.values():
            for resume in resumes.values():
                decompiled(resume)
    for code in originals:
        count = len(torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code))
        name = f"{code.co_name} at {code.co_firstlineno}"
        seen.entries[name] = seen.entries.get(name, 0) + count
    seen.frames = dict(torch._dynamo.utils.counters["frames"])
    seen.shared = len(inner) - len({id(code) for code in inner})
    return seen


def both(program: Program, backend: str = "eager") -> tuple[Seen, Seen]:
    """A program run as it is, and with every generated code object replaced."""
    return run(program, backend), run(program, backend, replace=True)


def differences(plain: Seen, replaced: Seen) -> list[str]:
    """In what the two runs differ; empty if in nothing."""
    found = []
    if not same(plain.result, replaced.result):
        found.append(f"results: {plain.result!r:.300} and {replaced.result!r:.300}")
    if plain.entries != replaced.entries:
        found.append(f"entries: {plain.entries} and {replaced.entries}")
    # Code that is recompiled has such code for itself, and Dynamo counts each code object when it first runs.
    more = replaced.frames.get("total", 0) - plain.frames.get("total", 0)
    if not 0 <= more <= plain.shared or {**plain.frames, "total": 0} != {**replaced.frames, "total": 0}:
        found.append(f"frames: {plain.frames} and {replaced.frames}")
    return found


def same(one: object, other: object) -> bool:
    """Equal, bit for bit where they are tensors."""
    ones, others = tree_leaves(one), tree_leaves(other)
    return len(ones) == len(others) and all(map(_same_leaf, ones, others))


def _same_leaf(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor):
        alike = isinstance(other, torch.Tensor) and one.dtype == other.dtype and one.stride() == other.stride()
        return alike and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))
    if isinstance(one, (int, float, str, bool, type(None))):
        return type(one) is type(other) and (one == other or math.isnan(one))
    return type(one).__qualname__ == type(other).__qualname__


# ---------------------------------------------------------------- programs
def calls(make: Callable[[], tuple[Callable, list[tuple]]], **config: object) -> Program:
    """A function called with each list of arguments: results, arguments afterwards, gradients, what it raised."""

    @torch._dynamo.config.patch(config)
    def program(backend: str) -> Result:
        function, argument_lists = make()
        compiled = torch.compile(function, backend=backend)
        done: list[object] = [*called(compiled, argument_lists)]
        if isinstance(function, torch.nn.Module):
            done.append([parameter.grad for parameter in function.parameters()])
        return tuple(done)

    return program


def called(compiled: Callable, argument_lists: list[tuple]) -> Iterator[tuple[object, tuple, list]]:
    """Of each call, on copies of the arguments: what it gave or raised, the arguments afterwards, their gradients."""
    for arguments in argument_lists:
        arguments = copy.deepcopy(arguments)  # noqa: PLW2901  (a case may share what it mutates)
        leaves = [leaf for leaf in tree_leaves(arguments) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        try:
            result = compiled(*arguments)
            backward(result)
        except Exception as error:
            result = f"{type(error).__name__}: {error}".splitlines()[0]
        yield result, arguments, [leaf.grad for leaf in leaves]


def backward(result: object) -> None:
    """Backward from all that a result holds."""
    tensors = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if tensors:
        sum(tensor.double().sum() for tensor in tensors).backward()


def model(name: str, *, breaks: bool) -> Program:
    """A model, forward and backward."""
    gradients = name not in NO_BACKWARD

    def program(backend: str) -> Result:
        net, inputs = models.make(name)
        with torch.no_grad():
            net(**inputs)  # what a model does at its first call alone, such as warnings
        net = models.with_breaks(net) if breaks else net
        compiled = torch.compile(net, backend=backend)
        with torch.set_grad_enabled(gradients):
            outputs = models.flatten(compiled(**inputs))
        if gradients:
            backward([output for output in outputs if output.is_floating_point()])
        return (outputs, [parameter.grad for parameter in net.parameters()], list(net.buffers()))

    return program
