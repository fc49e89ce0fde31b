"""What a code object is the code of: a function, a class body, a module, or what `eval` and a prompt compile."""

from __future__ import annotations
import __future__

import enum
import inspect
from types import CodeType

from unjit.bytecode import Instr, decode, places_in
from unjit.bytecode import versions as v
from unjit.bytecode.functions.hidden_variables import CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS, TYPE_PARAMETERS
from unjit.bytecode.instructions import intrinsics


class Kind(enum.Enum):
    """Which statement or file the code was compiled from, and with it how its source has to be compiled."""

    FUNCTION = "function"
    CLASS = "class"
    MODULE = "module"
    EXPRESSION = "expression"  # what eval() is given: the code returns its value
    PROMPT = "prompt"  # one line typed in: values of statements are printed

    @property
    def has_returns(self) -> bool:
        """Whether a person writes `return` in it."""
        return self is Kind.FUNCTION


def kind_of(code: CodeType) -> Kind:
    """What the code was compiled from, as it tells itself. Raises BytecodeError where the bytes are no bytecode."""
    if code.co_flags & inspect.CO_OPTIMIZED:
        return Kind.FUNCTION
    instrs, places = decode(code), places_in(code)
    if _starts_a_class(instrs):
        return Kind.CLASS
    if any(_prints(instrs[k]) for op in _PRINTING & places.keys() for k in places[op]):
        return Kind.PROMPT
    returns = [k for op in _RETURNING & places.keys() for k in places[op]]
    return Kind.EXPRESSION if any(_returns_value(instrs[k - 1], instrs[k]) for k in returns if k) else Kind.MODULE


def keeps_annotations_as_text(code: CodeType) -> bool:
    """Whether it was compiled under `from __future__ import annotations`."""
    return bool(code.co_flags & __future__.annotations.compiler_flag)


def is_bare_generator(code: CodeType) -> bool:
    """Whether a StopIteration leaves this generator as it is (3.12 and later), as only that of a lambda does."""
    if not v.PY312 or not code.co_flags & inspect.CO_GENERATOR:
        return False
    return not any(i.op == "CALL_INTRINSIC_1" and i.arg == intrinsics.STOPITERATION_ERROR for i in decode(code))


def _starts_a_class(instrs: tuple[Instr, ...]) -> bool:
    """The suite of a class first says which module it is in."""
    named = [i for i in instrs[:8] if i.op in _LOADS_AND_STORES][:2]
    if [i.value for i in named] != ["__name__", "__module__"] or named[1].op not in v.CLASS_STORES:
        return False
    return any(i.op in v.CLASS_STORES and i.value == "__qualname__" for i in instrs[:12])


_LOADS_AND_STORES = v.GLOBAL_LOADS | v.CLASS_STORES
_PRINTING = frozenset({"PRINT_EXPR", "CALL_INTRINSIC_1"})
_RETURNING = frozenset({"RETURN_CONST", "RETURN_VALUE"})


def _prints(instr: Instr) -> bool:
    return instr.op == "PRINT_EXPR" or (instr.op == "CALL_INTRINSIC_1" and instr.arg == intrinsics.PRINT)


def _returns_value(before: Instr, instr: Instr) -> bool:
    if instr.op == "RETURN_CONST":
        return instr.value is not None
    return instr.op == "RETURN_VALUE" and not (before.op == "LOAD_CONST" and before.value is None)


_HIDDEN_VARIABLES = (TYPE_PARAMETERS, CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS)


def type_parameters(code: CodeType) -> tuple[str, ...] | None:
    """Free variables that may be the class's own type parameters; None where it has no type parameters.

    Its code does not tell them from variables of a function around it, nor those that it does not use at all.
    """
    if TYPE_PARAMETERS not in code.co_freevars:
        return None
    return tuple(n for n in code.co_freevars if n != TYPE_PARAMETERS and not n.startswith("__"))


HIDDEN = "<generic parameters of "  # how the names of functions begin that make type parameters (3.12)


def is_hidden(code: CodeType) -> bool:
    """Whether it is the function that the compiler wraps around a definition with type parameters, to make both."""
    return code.co_name.startswith(HIDDEN)


def variables_around(code: CodeType) -> tuple[str, ...]:
    """The free variables that a function around the definition has to have."""
    own = () if annotated_by(code) or is_hidden(code) else type_parameters(code)
    if own is None:
        return code.co_freevars
    return tuple(n for n in code.co_freevars if n not in (*own, *_HIDDEN_VARIABLES))


_FORMATS = ("format", ".format")  # the argument that says in which format: of annotations, of types


def annotated_by(code: CodeType) -> Kind | None:
    """Of what this code makes the annotations when they are asked for (3.14); None for code that makes none.

    EXPRESSION is a type: a bound, a default or the value of a `type` statement. Before 3.14 only these are made by code
    of their own, which looks like any function unless it is in a class.
    """
    if not v.PY314:
        return Kind.EXPRESSION if is_in_class(code) and code.co_name[0] != "<" and not code.co_varnames else None
    if not code.co_flags & inspect.CO_OPTIMIZED or code.co_argcount != 1 or code.co_varnames[0] not in _FORMATS:
        return None
    instrs = decode(code)
    if not any(i.op == "LOAD_COMMON_CONSTANT" and i.value is NotImplementedError for i in instrs[:12]):
        return None
    if code.co_varnames[0] == _FORMATS[1]:
        return Kind.EXPRESSION
    if not any(i.op == "STORE_SUBSCR" for i in instrs):
        return Kind.FUNCTION
    return Kind.MODULE if CONDITIONAL_ANNOTATIONS in code.co_names else Kind.CLASS


def is_in_class(code: CodeType) -> bool:
    """Whether an annotation scope looks names up in a class first."""
    return CLASS_NAMESPACE in code.co_freevars
