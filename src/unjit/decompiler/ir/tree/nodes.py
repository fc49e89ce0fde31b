"""What the IR adds to `ast`: values that have no name yet, and operations that have no syntax.

Expressions and statements are ordinary `ast` nodes, so that rendering needs no translation. A value that the bytecode
keeps on its stack is a `Temp`, defined once by a `Define`. What else there is to know of a node is in `notes`.
"""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import Instr

# Where an expression stands is all that these say; one of each will do.
LOAD, STORE = ast.Load(), ast.Store()


class Temp(ast.expr):
    """A value on the stack: defined once, read `uses` times. `name` is set when it must become a variable."""

    _fields = ()

    uses = 0
    name: str | None = None
    definition: ast.expr | None = None
    exit_of: ast.expr | None = None  # the context manager whose exit function it is


class Null(ast.expr):
    """The absent value that calls and unbound locals use."""

    _fields = ()


class SelfMarker(ast.expr):
    """Second of the two slots of a bound method: the receiver is already in the first."""

    _fields = ()


class CellRef(ast.expr):
    """A cell itself, not its contents."""

    _fields = ("id",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.id = name


class ObjectConst(ast.expr):
    """A constant that has no literal: a dtype, a function, an enum member."""

    _fields = ()

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class CodeConst(ast.expr):
    """A nested code object on its way to MAKE_FUNCTION."""

    _fields = ()

    def __init__(self, code: CodeType) -> None:
        super().__init__()
        self.code = code


class HandledException(ast.expr):
    """The exception that a handler receives.

    `part` is 'value', on 3.10 also 'type' and 'traceback'; 'rest' is what is left of a group.
    """

    _fields = ()

    def __init__(self, handler: int, part: str = "value") -> None:
        super().__init__()
        self.handler = handler
        self.part = part


class SavedException(ast.expr):
    """What was being handled before a handler was entered: one of the slots that POP_EXCEPT restores."""

    _fields = ()


class Inplace(ast.BinOp):
    """`left op= right` as a value, before it meets the store that makes it an augmented assignment."""


class MakeFunction(ast.expr):
    """A function made from a nested code object."""

    _fields = ("defaults", "kwdefaults", "annotations", "annotate", "closure")

    def __init__(self, code: CodeType) -> None:
        super().__init__()
        self.code = code
        self.qualname: str | None = None
        self.defaults: ast.expr | None = None
        self.kwdefaults: ast.expr | None = None
        self.annotations: ast.expr | None = None
        self.annotate: ast.expr | None = None  # 3.14: the function that makes the annotations when asked for them
        self.closure: ast.expr | None = None


class BuildClass(ast.expr):
    """`__build_class__`, which only a class statement can name."""

    _fields = ()


class AssertionErrorRef(ast.expr):
    """`AssertionError` as an assert statement finds it, whatever the global of that name is."""

    _fields = ()


class NotImplementedErrorRef(ast.expr):
    """`NotImplementedError` as a function that makes annotations finds it, for a format that it does not know."""

    _fields = ()


class ImportModule(ast.expr):
    """IMPORT_NAME: `module` may be dotted; `fromlist` None or a tuple of names."""

    _fields = ()

    def __init__(self, module: str, level: int, fromlist: object, *, is_lazy: bool = False) -> None:
        super().__init__()
        self.module, self.level, self.fromlist, self.is_lazy = module, level, fromlist, is_lazy


class ImportMember(ast.expr):
    """IMPORT_FROM: a member of the imported module."""

    _fields = ("module",)

    def __init__(self, module: ast.expr, member: str) -> None:
        super().__init__()
        self.module, self.member = module, member


class MatchesException(ast.expr):
    """Does the exception being handled match `type`? Only an except clause asks it."""

    _fields = ("type",)

    def __init__(self, type_: ast.expr) -> None:
        super().__init__()
        self.type = type_


LEFT_OVER = "PREP_RERAISE_STAR"  # the Helper for what no except* clause took


class MatchesGroup(ast.expr):
    """The part of the exception group in `handler` that matches `type`, or None. Only an except* clause asks it."""

    _fields = ("type",)

    def __init__(self, type_: ast.expr, handler: int) -> None:
        super().__init__()
        self.type, self.handler = type_, handler


class MatchesPattern(ast.expr):
    """Does `subject` match `pattern`, and if it does, are the names in it bound? Only a case clause asks it."""

    _fields = ("subject", "pattern")

    def __init__(self, subject: ast.expr, pattern: ast.pattern) -> None:
        super().__init__()
        self.subject, self.pattern = subject, pattern


class ExitSuppresses(ast.expr):
    """The truth of `exit(*exc_info)`, which only a with statement asks."""

    _fields = ("exit",)

    def __init__(self, exit_: ast.expr) -> None:
        super().__init__()
        self.exit = exit_


class GetIter(ast.expr):
    """`iter(value)` as a for loop takes it."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value


class Interpolated(ast.expr):
    """One `{…}` of a template string: the value, and the text of it in the source, which the program can ask for."""

    _fields = ("value", "spec")

    def __init__(self, value: ast.expr, text: str, conversion: int, spec: ast.expr | None) -> None:
        super().__init__()
        self.value, self.text, self.conversion, self.spec = value, text, conversion, spec


class Template(ast.expr):
    """A template string: a tuple of the strings, and one of the interpolations between them."""

    _fields = ("strings", "interpolations")

    def __init__(self, strings: ast.expr, interpolations: ast.expr) -> None:
        super().__init__()
        self.strings, self.interpolations = strings, interpolations


class Apart(ast.expr):
    """An expression of other code, such as an annotation: its offsets are not those of the code around it."""

    _fields = ()

    def __init__(self, value: ast.expr, code: CodeType) -> None:
        super().__init__()
        self.value, self.code = value, code


class SavedLocal(ast.expr):
    """What a local held before an inlined comprehension took its name; storing it back ends the comprehension."""

    _fields = ("id",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.id = name


class LocalsDict(ast.expr):
    """The namespace of a class body, where its names are looked up."""

    _fields = ()


class Inlined(ast.expr):
    """A comprehension inlined into the code around it (3.12 and later): its instructions, and what it loops over."""

    _fields = ("iterator",)

    def __init__(self, instrs: tuple[Instr, ...], iterator: ast.expr, cells: frozenset[str]) -> None:
        super().__init__()
        self.instrs, self.iterator = instrs, iterator
        self.cells = cells  # the variables that are cells in the code around it


class Lowered(ast.expr):
    """What is lowered already, in what is about to be (see `slices`)."""

    _fields = ("made",)

    def __init__(self, made: ast.AST) -> None:
        super().__init__()
        self.made = made


class Helper(ast.expr):
    """A call that stands for one instruction without syntax; recompiling turns it back. See `ir.tree.helpers`."""

    _fields = ("args",)

    def __init__(self, name: str, args: list[ast.expr]) -> None:
        super().__init__()
        self.name, self.args = name, args


class Define(ast.stmt):
    """`temp = value`, for a value on the stack."""

    __slots__ = ("at", "temp", "value")  # there are many, each made and done with without a dict of its own
    _fields = ("value",)

    def __init__(self, temp: Temp, value: ast.expr) -> None:
        self.temp, self.value = temp, value


class EnterWith(ast.stmt):
    """BEFORE_WITH: `exit` gets the manager's exit function, `entered` what entering returned."""

    _fields = ("manager",)

    def __init__(self, manager: ast.expr, exit_: Temp, entered: Temp, *, is_async: bool = False) -> None:
        super().__init__()
        self.manager, self.exit, self.entered, self.is_async = manager, exit_, entered, is_async


class EnterMethod(ast.expr):
    """LOAD_SPECIAL's `__enter__` of a manager whose exit function is known already; calling it is an `EnterWith`."""

    _fields = ("manager",)

    def __init__(self, manager: ast.expr, exit_: Temp, *, is_async: bool) -> None:
        super().__init__()
        self.manager, self.exit, self.is_async = manager, exit_, is_async


class Accumulate(ast.stmt):
    """LIST_APPEND, SET_ADD, MAP_ADD, LIST_EXTEND, … into a display that is still on the stack."""

    _fields = ("container", "key", "value")

    def __init__(self, kind: str, container: ast.expr, value: ast.expr, key: ast.expr | None = None) -> None:
        super().__init__()
        self.kind, self.container, self.value, self.key = kind, container, value, key


class Reraise(ast.stmt):
    """The exception being handled goes on."""

    _fields = ()


Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))  # `except*` came with 3.11
# Tests that are part of a statement: no expression asks them.
ASKED_BY_STATEMENTS = (MatchesException, MatchesGroup, MatchesPattern)
# What may lie on the symbolic stack; a Name is a local whose value has not been taken yet.
ATOMS = frozenset(
    {
        ast.Constant,
        ast.Name,
        Temp,
        Null,
        SelfMarker,
        CellRef,
        ObjectConst,
        CodeConst,
        HandledException,
        SavedException,
        SavedLocal,
        LocalsDict,
        EnterMethod,
    }
)
