"""Eager twice, eager in float64, then each backend."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, Literal

from unjit.comparison.copying import copied
from unjit.comparison.differences import parted
from unjit.comparison.graphs import ComparingBackend
from unjit.comparison.leaves import tensors
from unjit.comparison.modules import modules_of, optimizers_of
from unjit.comparison.outcome import Outcome, ran
from unjit.comparison.randomness import drew_alike
from unjit.comparison.reached import Reached, shared_with_copies
from unjit.comparison.state import State
from unjit.comparison.tensors import copies_of
from unjit.comparison.uncompiled import compiled_on
from unjit.errors import UnjitError
from unjit.model import BackendTrial, Comparison, GraphDifference, Maybe, Message, Name, Term, Unknown
from unjit.model.wording import in_words
from unjit.torch_private.cache.backends import Compiler, compiler_of, drop_entries, name_with_settings
from unjit.torch_private.cache.learned import forgotten_afterwards
from unjit.torch_private.cache.targets import called_module, entered_function
from unjit.torch_private.compiled_graphs.as_eager import eagers_random_numbers
from unjit.torch_private.compiled_graphs.parametrizations import parametrizations
from unjit.torch_private.following.trace import on_generated_code

BACKENDS: Final = ("eager", "aot_eager", "inductor")  # they stand for the steps of the compiler
Backend = tuple[str, Maybe[Compiler]]  # its name, and what Dynamo calls
_NOTHING_TO_GO_BY: Final = Unknown(Message("not run: one more run would differ for the same reason"))


@dataclass(frozen=True)
class Program:
    """A function with the inputs that it is compared on, and the state in which each run begins."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    kept: list[Any]  # modules and optimizers, which are not copied for a run: what it changes in them is put back
    modules: list[Any]
    state: State
    reached: Reached
    before: dict[str, Any]  # what runs may change, by name: no copy of what they leave as it was
    options: dict[str, Any]  # of torch.compile, as the program has them: Dynamo captures otherwise without

    @classmethod
    def of(cls, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], **options: Any) -> Program:
        """As everything is now; `options` are those of torch.compile that are no backend's."""
        modules = modules_of(function, args, kwargs)
        kept = [*modules, *optimizers_of(function, args, kwargs)]
        state = State.of(modules)
        known = {id(tensor) for _, tensor, _ in state.tensors}
        shared = shared_with_copies([args, kwargs])
        reached = Reached.of([function, *kept, *shared, parametrizations()], known)
        # Copies, as a run may change an input where it is held elsewhere, too.
        inputs = copies_of([*tensors(list(args), "args"), *tensors(kwargs, "kwargs")])
        return cls(function, args, kwargs, kept, modules, state, reached, {**inputs, **state.values}, options)

    def begin(self) -> None:
        """Put everything into the state in which a run begins."""
        self.reached.put_back()
        self.state.put_back()
        self.reached.cut_off.put()

    def run(self, function: Any, *, dtype: Any = None) -> Outcome:
        """One run of `function` on copies of the inputs, begun in the state; what it changed is put back."""
        self.begin()
        try:
            args, kwargs = copied((self.args, self.kwargs), self.kept, dtype=dtype)
        except Exception as error:
            raise UnjitError(
                f"the inputs cannot be copied for a run each ({in_words(error)}); "
                "pass tensors, numbers and containers of them"
            ) from error
        held = [(name, self.reached.cut_off.now(tensor)) for name, tensor in self.state.named]
        found = ran(function, args, kwargs, held, self.before)
        self.reached.cut_off.refuse_taking()
        return found


def backends_for(named: Sequence[str], own: Maybe[Compiler]) -> list[Backend]:
    """The named ones; without any, those that stand for the steps of the compiler, and the program's own."""
    chosen: list[Backend] = [(name, compiler_of(name)) for name in named or BACKENDS]
    name = name_with_settings(own)
    if not (named or isinstance(name, Unknown) or name in BACKENDS):
        chosen.append((Term(f"{name} (the program's own)"), own))
    return chosen


def name_of(function: Any) -> str:
    """What a user calls it; a module, or what calls one, goes by its class, and a partial by its function."""
    while isinstance(function, partial):
        function = function.func
    module = called_module(function)
    if module is not None:
        return type(module).__qualname__
    return getattr(function, "__qualname__", None) or type(function).__qualname__


def compared(name: str, program: Program, backends: Sequence[Backend]) -> Comparison:
    """Run everything; leaves what the function reaches, gradients and random state as they were."""
    import torch

    try:
        with torch.compiler.set_stance("force_eager"):
            eager = program.run(program.function)
            unsteady = tuple(parted(eager, program.run(program.function), {}))
            exact = _NOTHING_TO_GO_BY if unsteady else _reference(program, eager)
        reference = {} if isinstance(exact, Unknown) else dict(exact.values)
        trials = _trials(program, backends, eager, reference, steady=not unsteady)
    finally:
        try:
            program.reached.put_back_all()
        finally:
            program.state.put_back_all()
    told = exact if isinstance(exact, Unknown) else Message(f"{len(reference)} values are known in float64")
    return Comparison(Name(name), unsteady, told, tuple(trials), _raised(eager))


def _raised(outcome: Outcome) -> Message | None:
    """What a run raised, and where it did so when it was not in the call."""
    if outcome.error is None:
        return None
    return Message(in_words(outcome.error) + (" (in the backward pass from its results)" if outcome.values else ""))


def _reference(program: Program, eager: Outcome) -> Maybe[Outcome]:
    """The run in float64, with a copy of the module in float64 where the function is one or a method of one."""
    import torch

    function = program.function
    owner: Any = function.__self__ if isinstance(function, MethodType) else function
    others = [module for module in program.modules if module is not owner]
    if others:
        return Unknown(Message("it uses modules that it does not belong to: they cannot be run in float64 for it"))
    try:
        if program.modules:
            program.begin()
            exact = copy.deepcopy(owner).to(torch.float64)
            function = MethodType(function.__func__, exact) if isinstance(function, MethodType) else exact
            found = Program.of(function, program.args, program.kwargs).run(function, dtype=torch.float64)
        else:
            found = program.run(function, dtype=torch.float64)
    except Exception as error:
        return Unknown(Message(f"no run in float64: {in_words(error)}"))
    if found.error is not None:
        return Unknown(Message(f"the program raises {type(found.error).__name__} in float64"))
    if not drew_alike(program.state.random, eager.random, found.random):
        return Unknown(Message("no run in float64: it would draw other random numbers"))
    return found


def _trials(
    program: Program, backends: Sequence[Backend], eager: Outcome, reference: dict[str, Any], *, steady: bool
) -> list[BackendTrial]:
    """Each backend; only the first that parts is looked into."""
    trials: list[BackendTrial] = []
    for backend in backends:
        agreed = steady and all(trial.outcome == "same" for trial in trials)
        trials.append(_trial(program, backend, eager, reference, look_inside=agreed))
    return trials


def _trial(
    program: Program, backend: Backend, eager: Outcome, reference: dict[str, Any], *, look_inside: bool
) -> BackendTrial:
    """One backend, graph by graph and as a whole."""
    name, compiler = Term(backend[0]), backend[1]
    if isinstance(compiler, Unknown):
        return BackendTrial(name, "failed", (), None, 0, compiler.reason)
    comparing = ComparingBackend(name, compiler, look_inside=look_inside, may_raise=eager.error is not None)
    with (
        _dropped_afterwards(comparing),
        forgotten_afterwards(),
        program.reached.own_codes(),
        eagers_random_numbers(),
        compiled_on(comparing, program.function, program.options) as compiled,
    ):
        entered = entered_function(compiled)
        if isinstance(entered, FunctionType):  # torch's, with one code for all modules
            entered.__code__ = entered.__code__.replace(co_name=entered.__code__.co_name)
        found = program.run(compiled)
    if found.error is not None and eager.error is None:
        error = Message(str(_raised(found)).replace(comparing.__name__, name))
        return BackendTrial(name, "failed", (), comparing.first, comparing.calls, error)
    told = tuple(parted(eager, found, reference, comparing.narrowest))
    parts = bool(told) or isinstance(comparing.first, GraphDifference)  # not of one that is unknown
    outcome: Literal["same", "differs"] = "differs" if parts else "same"
    return BackendTrial(name, outcome, told, comparing.first, comparing.calls, None)


@contextmanager
def _dropped_afterwards(backend: ComparingBackend) -> Iterator[None]:
    """Takes the entries of this comparison out of Dynamo's cache again, where this torch can do so."""
    codes: dict[int, CodeType] = {}  # by identity: equal ones have entries of their own
    stop = on_generated_code(lambda original, _generated: codes.update({id(original): original}))
    try:
        yield
    finally:
        if not isinstance(stop, Unknown):
            stop()
        drop_entries(codes.values(), backend.__name__)
