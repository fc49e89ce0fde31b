"""Source text back to one code object that can stand in for the original in its frame."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import itertools
import operator
import re
from collections.abc import Container, Iterator
from types import CodeType
from typing import Any

from unjit.bytecode import decode
from unjit.bytecode.changed.overwrite import overwritten
from unjit.decompiler.errors import CannotCompile, CannotExpress
from unjit.decompiler.kinds import (
    Kind,
    annotated_by,
    is_hidden,
    kind_of,
    type_parameters,
    variables_around,
)
from unjit.decompiler.recompiling.helper_calls import without_helper_calls
from unjit.decompiler.recompiling.imported_names import imported_names
from unjit.decompiler.recompiling.markers import marked_text, marker, put_markers, with_constants
from unjit.decompiler.recompiling.silently import compile_silently, constants_in_file, parse_silently
from unjit.decompiler.recompiling.surroundings import (
    definition_alone,
    enclosed,
    find,
    hides_a_global,
    named,
    only_code_in,
)
from unjit.decompiler.render.definitions.headers import COMPREHENSIONS
from unjit.decompiler.render.definitions.preamble import ENCLOSED
from unjit.decompiler.render.definitions.private_class import private_class
from unjit.decompiler.render.lowering.names import ENCLOSING, Names
from unjit.decompiler.render.printing.strings import STRING

_FUTURE_FLAGS = functools.reduce(
    operator.or_,
    (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names),
)
_NESTED = 0x10
_LARGEST_ARGUMENT = 255  # of an instruction without a prefix
_AWAITS = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR  # outside a function: at a prompt


def recompile(source: str, original: CodeType, names: Names, *, is_printed: bool = False) -> CodeType:
    """Compile `source` in the context that `original` was compiled in.

    `source` is one definition, with what was printed around it, or all statements of a module; `is_printed` says that
    nobody has changed it since it was printed. Raises CannotExpress when it does not compile or no code in it has the
    original's frame.
    """
    text = _text_enough(source, original, names, is_printed=is_printed)
    made = _of_tree(source, original, names) if text is None else _of_text(text, original)
    if names.constants:
        made = with_constants(made, {marker(k): value for k, value in enumerate(names.constants.values())})
    if names.renamed:
        made = _with_names(made, {shown: name for name, shown in names.renamed.items()})
    if names.helpers:
        made = without_helper_calls(made, {shown: name for name, shown in names.helpers.items()})
    if names.unrecovered:
        made = _with_unrecovered(made, names.unrecovered)
    return _in_place_of(made, original)


def _text_enough(source: str, original: CodeType, names: Names, *, is_printed: bool) -> str | None:
    """The text to compile where that will do, which is the rule and takes half the time; None if a tree is needed."""
    kind = kind_of(original)
    if kind in (Kind.EXPRESSION, Kind.PROMPT) or annotated_by(original) or is_hidden(original):
        return None
    if not (names.constants or names.helpers or original.co_freevars):
        return source
    if not is_printed or kind is Kind.MODULE:
        return None
    if original.co_freevars and (names.renamed or type_parameters(original) is not None or hides_a_global(original)):
        return None
    return marked_text(source, names.constants) if names.constants else source


def _of_text(source: str, original: CodeType) -> CodeType:
    """The code of the one definition in `source`, or of the whole of it."""
    if kind_of(original) is Kind.MODULE:
        return _compile(source, original, "exec")
    imported, free = imported_names(original), variables_around(original)
    if free:
        source = _inside_function(source, free)
    place = _compile(f"{source}\nimport {', '.join(imported)}\n" if imported else source, original, "exec")
    if free:
        place = only_code_in(place)
    if private_class(original) is not None:
        place = only_code_in(place)
    return only_code_in(place)


def _inside_function(source: str, free: tuple[str, ...]) -> str:
    """The definition in a function that has its free variables, on the same lines: the comment that names them goes."""
    head = f"def {ENCLOSING}("
    if f"\n{head}" in f"\n{source}":
        return source
    above, _, rest = source.partition(ENCLOSED)
    definition = rest[rest.index("\n") :].rstrip()
    has_long_strings = '"""' in definition or "'''" in definition
    indented = _ENDS.sub(_indented, definition) if has_long_strings else definition.replace("\n", "\n ")
    return f"{above}{head}{', '.join(free)}):{indented}\n"


# Line ends, and what may have such in it or look as if a string began in it.
_ENDS = re.compile(rf"{STRING}|#[^\n]*|\n", re.DOTALL)


def _indented(piece: re.Match[str]) -> str:
    """A line's end, with what the next one begins with; anything else, such as a string of several lines, as it is."""
    return "\n " if piece.group() == "\n" else piece.group()


def _of_tree(source: str, original: CodeType, names: Names) -> CodeType:
    """The same with names of constants replaced, and with what was printed around the definition made anew."""
    kind, tree = _kind_of_source(original), _parsed(source)
    if kind in (Kind.FUNCTION, Kind.CLASS):
        tree = definition_alone(tree, original)
    elif names.helpers:
        tree.body.remove(next(s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "unjit.helpers"))
    if names.constants:
        put_markers(tree, names.constants)
    return _compiled(tree, original, kind)


def _kind_of_source(original: CodeType) -> Kind:
    """What the source is: that of annotations (3.14) is what they annotate."""
    annotated = annotated_by(original)
    return kind_of(original) if annotated in (None, Kind.EXPRESSION) else annotated


def _parsed(source: str) -> ast.Module:
    try:
        return parse_silently(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotCompile(f"the source does not parse: {error}", getattr(error, "lineno", None)) from error


def _compiled(tree: ast.Module, original: CodeType, kind: Kind) -> CodeType:
    """The code that stands for the original's, in what it stood in."""
    if kind in (Kind.FUNCTION, Kind.CLASS):
        around = enclosed(tree, variables_around(original), imported_names(original))
        return find(_compile(around, original, "exec"), tree, original)
    if kind is Kind.EXPRESSION:
        only = tree.body[-1] if len(tree.body) == 1 else None
        if not isinstance(only, ast.Expr):
            raise CannotExpress("the source of an expression is more than one")
        return _compile(ast.Expression(only.value), original, "eval")
    if kind is Kind.PROMPT:
        return _compile(ast.Interactive(tree.body), original, "single")
    module = _compile(tree, original, "exec")
    return named(module, original.co_name) if annotated_by(original) else module


def _compile(source: str | ast.Module | ast.Expression | ast.Interactive, original: CodeType, mode: str) -> CodeType:
    flags = original.co_flags & _FUTURE_FLAGS
    may_await = not original.co_flags & inspect.CO_OPTIMIZED or original.co_name in COMPREHENSIONS
    if mode != "exec" or may_await:
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if original.co_flags & _AWAITS else 0
    try:
        return compile_silently(source, mode, flags=flags)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotCompile(f"the source does not compile: {error}", getattr(error, "lineno", None)) from error


# ---------------------------------------------------------------- names and what was left as it is
def _with_names(code: CodeType, names: dict[str, str]) -> CodeType:
    """Variables under the names that the original has for them."""

    def back(known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in known)

    consts = tuple(_with_names(c, names) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(
        co_varnames=back(code.co_varnames),
        co_cellvars=back(code.co_cellvars),
        co_freevars=back(code.co_freevars),
        co_names=back(code.co_names),
        co_consts=consts,
    )


def _with_unrecovered(code: CodeType, unrecovered: dict[str, CodeType]) -> CodeType:
    """Code that the source only has a sentence for, in the place of what that compiled to."""
    consts: list[object] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            sentence = next((c for c in _strings(const) if c in unrecovered), None)
            consts.append(_with_unrecovered(const, unrecovered) if sentence is None else unrecovered[sentence])
        else:
            consts.append(const)
    return code.replace(co_consts=tuple(consts))


def _strings(code: CodeType) -> Iterator[str]:
    """String constants, also those in a constant tuple, which a stub of nothing but constants folds into."""
    for const in code.co_consts:
        parts = const if isinstance(const, tuple) else (const,)
        yield from (part for part in parts if isinstance(part, str))


# ---------------------------------------------------------------- identity
def _in_place_of(code: CodeType, original: CodeType) -> CodeType:
    """Give the code the original's names; what decides about frames must be equal already."""
    flags, file = code.co_flags & ~_NESTED | original.co_flags & _NESTED, original.co_filename
    consts = constants_in_file(code, file)
    if consts is not code.co_consts:
        code = code.replace(co_consts=consts)
    old, new = _qualified_name(code), _qualified_name(original)
    is_class = kind_of(original) is Kind.CLASS  # since 3.13 its line is stored by the code as well: both stay ours
    changes: dict[str, Any] = {"co_name": original.co_name, "co_flags": flags, "co_filename": file}
    line = max(original.co_firstlineno, 0)  # in a file it may be less, which Python reads but does not make
    changes |= {} if is_class else {"co_firstlineno": line}
    if old != new:
        code = _requalified(code, old, new, "." if is_class else ".<locals>.")
    return code.replace(**changes)


def _requalified(code: CodeType, old: str, new: str, below: str) -> CodeType:
    """The code with other qualified names for itself and what is nested in it, as if compiled in that place."""
    inside = old + below

    def renamed(name: str) -> str:
        return new + name[len(old) :] if name == old or name.startswith(inside) else name

    consts = [_requalified(c, old, new, below) if isinstance(c, CodeType) else c for c in code.co_consts]
    loads, moved = _loads_of_qualified_names(code), {}
    for offset, index in loads.items():
        name = renamed(str(code.co_consts[index]))
        if _only_loaded_at(code, index, loads):
            consts[index] = name
        elif name != code.co_consts[index] and len(consts) <= _LARGEST_ARGUMENT:  # a string of the program's own too
            moved[offset] = ("LOAD_CONST", len(consts))
            consts.append(name)
    qualname = getattr(code, "co_qualname", None)  # 3.11
    changes: dict[str, Any] = {} if qualname is None else {"co_qualname": renamed(qualname)}
    code = code.replace(co_consts=tuple(consts), **changes)
    return overwritten(code, moved) if moved else code


def _qualified_name(code: CodeType) -> str:
    """As the code itself says it: up to 3.10 only the code of a class does."""
    stored = next((code.co_consts[index] for index in _own_qualified_name(code).values()), None)
    return stored if isinstance(stored, str) else getattr(code, "co_qualname", code.co_name)


def _loads_of_qualified_names(code: CodeType) -> dict[int, int]:
    """Offsets at which a constant is loaded as a qualified name, and which constant that is.

    A class body's own; up to 3.10 those of the functions made in the code too, which do not have it themselves.
    """
    loads = _own_qualified_name(code)
    if not hasattr(code, "co_qualname"):
        loads |= _loads_before(code, "MAKE_FUNCTION", None)
    return loads


def _own_qualified_name(code: CodeType) -> dict[int, int]:
    """Where a class body loads what it stores as `__qualname__`, and which constant that is; empty for other code."""
    if code.co_flags & inspect.CO_OPTIMIZED or kind_of(code) is not Kind.CLASS:
        return {}
    return _loads_before(code, "STORE_NAME", "__qualname__")


def _loads_before(code: CodeType, operation: str, value: str | None) -> dict[int, int]:
    """Offsets at which a text is loaded for the operation that follows, and which constant it is."""
    return {
        load.offset: load.arg
        for load, taking in itertools.pairwise(decode(code))
        if load.op == "LOAD_CONST" and isinstance(load.value, str) and (taking.op, taking.value) == (operation, value)
    }


def _only_loaded_at(code: CodeType, index: int, offsets: Container[int]) -> bool:
    """Whether nothing else loads the constant, nor is it the docstring of a function, which none loads."""
    is_docstring = index == 0 and bool(code.co_flags & inspect.CO_OPTIMIZED)
    loads = [i.offset for i in decode(code) if i.op == "LOAD_CONST" and i.arg == index]
    return not is_docstring and all(offset in offsets for offset in loads)
