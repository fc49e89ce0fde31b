"""The program in float64, which tells rounding from mistakes: run only where something differs at all."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import MethodType
from typing import Any, Final

from unjit.comparison.restoring.held_gradients import copy_gradients
from unjit.comparison.restoring.modules import tensors_of
from unjit.comparison.restoring.randomness import drew_alike
from unjit.comparison.restoring.reached import shared_with_copies
from unjit.comparison.runs.outcome import Outcome
from unjit.comparison.runs.program import Program
from unjit.errors import UnjitError
from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words

_NOT_ASKED: Final = Message("not run: what differs, if anything, is no more than rounding in the type itself")


class InFloat64:
    """The run of a program in float64: made when its values are first asked for, as it takes twice the memory."""

    def __init__(self, program: Program, eager: Outcome) -> None:
        self._program = program
        self._eager = eager
        self._found: Maybe[Outcome] | None = None

    def values(self) -> Mapping[str, Any]:
        """The values in float64 by name; none if there is no such run."""
        if self._found is None:
            self._found = _ran(self._program, self._eager)
        return {} if isinstance(self._found, Unknown) else dict(self._found.values)

    @property
    def told(self) -> Maybe[Message]:
        """What there is to say of it."""
        if self._found is None:
            return _NOT_ASKED
        if isinstance(self._found, Unknown):
            return self._found
        return Message(f"{len(self._found.values)} values are known in float64")


def _ran(program: Program, eager: Outcome) -> Maybe[Outcome]:
    """The run, with a copy of the module in float64 where the function is one or a method of one."""
    import torch

    function = program.function
    owner: Any = function.__self__ if isinstance(function, MethodType) else function
    if program.optimizers:
        return Unknown(Message("what an optimizer steps and keeps stays in its own type"))
    others = [module for module in program.modules if module is not owner]
    if others:
        return Unknown(Message("it uses modules that it does not belong to: they cannot be run in float64 for it"))
    try:
        held = None
        if program.modules:
            program.begin()
            program.check_room(in_float64=True)
            exact = _copied(owner).to(torch.float64)
            copy_gradients(owner.parameters(), exact.parameters())
            function = MethodType(function.__func__, exact) if isinstance(function, MethodType) else exact
            held = tensors_of([exact])
        with torch.compiler.set_stance("force_eager"):
            found = program.run(function, dtype=torch.float64, held=held)
    except Exception as error:
        return Unknown(Message(f"no run in float64: {in_words(error)}"))
    if found.error is not None:
        return Unknown(Message(f"the program raises {type(found.error).__name__} in float64"))
    if not drew_alike(program.state.random, eager.random, found.random):
        return Unknown(Message("no run in float64: it would draw other random numbers"))
    return found


def _copied(module: Any) -> Any:
    """A copy that shares what must not be copied. Raises UnjitError of a module that must not be."""
    shared = shared_with_copies([module])
    if any(one is module for one in shared):
        raise UnjitError(f"a copy of {type(module).__qualname__} would clean up when it goes (__del__)")
    return copy.deepcopy(module, {id(one): one for one in shared})
