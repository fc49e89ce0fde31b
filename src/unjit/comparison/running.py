"""Eager twice, eager in float64, then each backend."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, MethodType
from typing import Any, Final

from unjit.comparison.copying import copied
from unjit.comparison.differences import parted
from unjit.comparison.graphs import ComparingBackend
from unjit.comparison.state import Outcome, State, modules_of, ran
from unjit.errors import UnjitError
from unjit.model import BackendTrial, Comparison, Maybe, Message, Name, Term, Unknown
from unjit.torch_private.backends import compiler_of, drop_entries, eagers_random_numbers
from unjit.torch_private.trace import on_generated_code

_NOTHING_TO_GO_BY: Final = Unknown(Message("not run: one more run would differ for the same reason"))


@dataclass(frozen=True)
class Program:
    """A function with the inputs that it is compared on, and the state in which each run begins."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    modules: list[Any]
    state: State

    @classmethod
    def of(cls, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
        """As everything is now."""
        modules = modules_of(function, args, kwargs)
        return cls(function, args, kwargs, modules, State.of(modules))

    def run(self, function: Any, *, dtype: Any = None) -> Outcome:
        """One run of `function` on copies of the inputs, begun in the state; what it changed is put back."""
        self.state.put_back()
        try:
            args, kwargs = copied((self.args, self.kwargs), self.modules, dtype=dtype)
        except Exception as error:
            raise UnjitError(
                f"the inputs cannot be copied for a run each ({type(error).__name__}: {error}); "
                "pass tensors, numbers and containers of them"
            ) from error
        return ran(function, args, kwargs, self.state)


def compared(name: str, program: Program, backends: Sequence[str]) -> Comparison:
    """Run everything; leaves modules, gradients and random state as they were."""
    import torch

    try:
        with torch.compiler.set_stance("force_eager"):
            eager = program.run(program.function)
            again = program.run(program.function)
            unsteady = tuple(parted(eager, again, {}))
            exact = _NOTHING_TO_GO_BY if unsteady else _reference(program)
        reference = {} if isinstance(exact, Unknown) else dict(exact.values)
        trials = tuple(trial(program, backend, eager, reference) for backend in backends)
    finally:
        program.state.put_back_all()
    told = exact if isinstance(exact, Unknown) else Message(f"{len(reference)} values are known in float64")
    return Comparison(Name(name), unsteady, told, trials)


def _reference(program: Program) -> Maybe[Outcome]:
    """The run in float64, with a copy of the module in float64 where the function is one or a method of one."""
    import torch

    function = program.function
    owner: Any = function.__self__ if isinstance(function, MethodType) else function
    others = [module for module in program.modules if module is not owner]
    if others:
        return Unknown(Message("it uses modules that it does not belong to: they cannot be run in float64 for it"))
    try:
        if program.modules:
            exact = copy.deepcopy(owner).to(torch.float64)
            function = MethodType(function.__func__, exact) if isinstance(function, MethodType) else exact
            found = Program.of(function, program.args, program.kwargs).run(function, dtype=torch.float64)
        else:
            found = program.run(function, dtype=torch.float64)
    except Exception as error:
        return Unknown(Message(f"no run in float64: {type(error).__name__}: {error}"))
    if found.error is not None:
        return Unknown(Message(f"the program raises {type(found.error).__name__} in float64"))
    return found


def trial(program: Program, backend: str, eager: Outcome, reference: dict[str, Any]) -> BackendTrial:
    """One backend, graph by graph and as a whole."""
    import torch

    compiler = compiler_of(backend)
    if isinstance(compiler, Unknown):
        return BackendTrial(Term(backend), "failed", (), None, 0, compiler.reason)
    comparing = ComparingBackend(backend, compiler)
    with _dropped_afterwards(comparing), eagers_random_numbers():
        found = program.run(torch.compile(program.function, backend=comparing))
    if found.error is not None and eager.error is None:
        says = Message(f"{type(found.error).__name__}: {found.error}")
        return BackendTrial(Term(backend), "failed", (), comparing.first, comparing.calls, says)
    told = tuple(parted(eager, found, reference))
    return BackendTrial(
        Term(backend), "differs" if told or comparing.first else "same", told, comparing.first, comparing.calls, None
    )


@contextmanager
def _dropped_afterwards(backend: ComparingBackend) -> Iterator[None]:
    """Takes the entries of this comparison out of Dynamo's cache again, where this torch can do so."""
    codes: set[CodeType] = set()
    stop = on_generated_code(lambda original, _generated: codes.add(original))
    try:
        yield
    finally:
        if not isinstance(stop, Unknown):
            stop()
        drop_entries(codes, backend.__name__)
