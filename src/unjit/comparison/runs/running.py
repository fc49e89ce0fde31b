"""Eager twice, eager in float64, then each backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import CodeType, FunctionType
from typing import Any, Final, Literal

from unjit.comparison.inside.comparing_backend import ComparingBackend
from unjit.comparison.runs.ahead_of_time import trial_of_ahead
from unjit.comparison.runs.earlier import differing_earlier
from unjit.comparison.runs.in_float64 import InFloat64
from unjit.comparison.runs.outcome import Outcome, told_error
from unjit.comparison.runs.program import Program
from unjit.comparison.runs.ranks import TALKS, Talk
from unjit.comparison.runs.uncompiled import compiled_on
from unjit.comparison.values.differences import Reference, parted, parted_beyond_rounding
from unjit.comparison.values.narrow import narrowest_of
from unjit.errors import NoRoom
from unjit.model import BackendTrial, Comparison, GraphDifference, Maybe, Message, Name, Term, Unknown
from unjit.torch_private.cache.backends import BACKENDS, Compiler, compiler_of, drop_entries, name_with_settings
from unjit.torch_private.cache.learned import forgotten_afterwards
from unjit.torch_private.cache.targets import called_module, entered_function
from unjit.torch_private.calling.compiled_calls import CompiledCall
from unjit.torch_private.compiled_graphs.as_eager import eagers_random_numbers
from unjit.torch_private.following.trace import on_generated_code

Backend = tuple[str, Maybe[Compiler]]  # its name, and what Dynamo calls
_NOTHING_TO_GO_BY: Final = Unknown(Message("not run: one more run would differ for the same reason"))


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


def compared(name: str, program: Program, backends: Sequence[Backend], call: CompiledCall) -> Comparison:
    """Run everything; leaves what the function reaches, gradients and random state as they were."""
    import torch

    try:
        talk = Talk()
        with torch.compiler.set_stance("force_eager"):
            eager = program.run(program.function)
            talks = talk.was_heard()
            unsteady = tuple(parted(eager, program.run(program.function), {}))
        exact = InFloat64(program, eager)
        reference = dict if unsteady or talks else exact.values
        trials = _trials(program, backends, eager, reference, call, steady=not unsteady, talks=talks)
    finally:
        try:
            program.reached.put_back_all()
        finally:
            program.state.put_back_all()
    told = _NOTHING_TO_GO_BY if unsteady else TALKS if talks else exact.told
    return Comparison(Name(name), unsteady, told, tuple(trials), told_error(eager))


def _trials(
    program: Program,
    backends: Sequence[Backend],
    eager: Outcome,
    reference: Reference,
    call: CompiledCall,
    *,
    steady: bool,
    talks: bool,
) -> list[BackendTrial]:
    """Each backend, of which only the first that parts is looked into; then what was compiled before."""
    trials: list[BackendTrial] = []
    narrowest: str | None = None
    for name, compiler in backends:
        if isinstance(compiler, Unknown):
            trials.append(BackendTrial(Term(name), "failed", (), None, 0, compiler.reason))
            continue
        agreed = steady and all(trial.outcome == "same" for trial in trials)
        raised = eager.error is not None
        comparing = ComparingBackend(name, compiler, look_inside=agreed, may_raise=raised, talks=talks)
        trials.append(_trial(program, Term(name), comparing, eager, reference))
        narrowest = narrowest_of((narrowest, comparing.narrowest))
    if call.ahead is not None:
        trials.append(trial_of_ahead(program, call.ahead, eager, reference, narrowest))
    elif steady and not talks and not any(trial.outcome == "differs" for trial in trials):
        trials += differing_earlier(program, call.backend, eager, reference, narrowest)
    return trials


def _trial(
    program: Program, name: Term, comparing: ComparingBackend, eager: Outcome, reference: Reference
) -> BackendTrial:
    """Run the program on one backend, and compare it with eager: graph by graph, and as a whole."""
    with (
        _dropped_afterwards(comparing),
        forgotten_afterwards(),
        program.reached.own_codes(),
        eagers_random_numbers(),
        compiled_on(comparing, program.function, program.options) as compiled,
    ):
        entered = entered_function(compiled)
        if isinstance(entered, FunctionType):  # torch's, with one code for all modules: the entries shall be ours alone
            entered.__code__ = entered.__code__.replace(co_name=entered.__code__.co_name)
        try:
            found = program.run(compiled)
        except NoRoom as lacking:
            return BackendTrial(name, "unknown", (), comparing.first, comparing.calls, Message(str(lacking)))
    if found.error is not None and eager.error is None:
        error = Message(str(told_error(found)).replace(comparing.__name__, name))
        return BackendTrial(name, "failed", (), comparing.first, comparing.calls, error)
    told = tuple(parted_beyond_rounding(eager, found, reference, comparing.narrowest))
    parts = bool(told) or isinstance(comparing.first, GraphDifference)  # an Unknown there is no difference
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
