"""What torch compiles, loads or captures in this thread, by the variables of its own functions that are at it."""

from __future__ import annotations

from types import CellType, CodeType
from typing import Any, TypeVar

from unjit.model import Maybe, Message, Unknown, known_or
from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.probes import trace_probes as probes

T = TypeVar("T")


def code_being_compiled() -> Maybe[CodeType] | None:
    """The original code object of the compile that is running in this thread; None if none is found on the stack."""
    compiler = probes.COMPILE_FRAME.get()
    return compiler if isinstance(compiler, Unknown) else _variable(compiler, "code", CodeType)


def globals_being_compiled() -> dict[str, Any] | None:
    """The globals of that code, which need not be those of a module; None if they are not found on the stack."""
    return _variable(probes.COMPILE_FRAME.get(), "globals", dict)


def locals_being_compiled() -> dict[str, Any] | None:
    """The local variables at the call that has the code compiled; None if they are not found on the stack."""
    return _variable(probes.COMPILE_FRAME.get(), "locals", dict)


def closure_being_compiled() -> Maybe[dict[str, CellType]]:
    """The free variables of that code with their cells, by name."""
    compiler = probes.COMPILE_FRAME.get()
    if isinstance(compiler, Unknown):
        return compiler
    code, cells = _variable(compiler, "code", CodeType), _variable(compiler, "closure", tuple)
    if code is None or cells is None:
        return Unknown(Message("it was not found on the stack of the compile"))
    return dict(zip(code.co_freevars, cells, strict=False))


def code_being_loaded() -> CodeType | None:
    """The original code object of what torch loads, compiled before, in this thread; None if it loads nothing.

    It counts as a compile to the trace, without an end.
    """
    return _variable(probes.INSTALL_FRAME.get(), "code", CodeType)


def callable_being_captured() -> Any:
    """What torch.export or aot_compile captures in this thread; None if neither does.

    They make no entry, and the trace has neither their beginning nor their end.
    """
    return _exported(_variable(probes.CAPTURE_FRAME.get(), "mod", object))


def _exported(given: Any) -> Any:
    """What is in the module that torch.export puts around a module; anything else itself."""
    wrapper = probes.EXPORT_WRAPPER.get()
    if isinstance(wrapper, Unknown) or type(given) is not wrapper:
        return given
    return known_or(probes.EXPORT_ROOT.of(given), given)


def _variable(function: Maybe[Any], name: str, kind: type[T]) -> T | None:
    """A variable of a function of torch's that this thread is in; None if it is in none, or the variable is another."""
    frame = frame_of(function)
    found = None if frame is None else frame.f_locals.get(name)
    return found if isinstance(found, kind) else None
