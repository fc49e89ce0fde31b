"""The text that code was compiled from, beside what was made of its bytecode, so that like is compared with like.

Of a function or class in a file it is the text of that one alone, without what the code by itself cannot know: whoever
makes the function or class has that.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from unjit.bytecode.instructions.positions import Positions
from unjit.cli.decompiling.files import text_of
from unjit.cli.decompiling.headers import Definition, take_off_header
from unjit.cli.decompiling.target import BadRequest
from unjit.decompiler import Decompiled, laid_out
from unjit.decompiler.recompiling.silently import parse_silently
from unjit.decompiler.recompiling.surroundings import within_enclosing
from unjit.decompiler.render.definitions.docstrings import as_kept
from unjit.decompiler.render.definitions.mangling import mangled, with_private_names

_MODULE = "<module>"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class SideBySide:
    """Two texts in one layout, and what of the original is in neither, in words."""

    original: str
    decompiled: str
    left_out: tuple[str, ...] = ()


def side_by_side(name: str, answer: Decompiled, text: str | None) -> SideBySide:
    """What was decompiled, and what it was compiled from. `text` is that of the whole file; None: it has to be found.

    Raises BadRequest where one of the two is missing.
    """
    if answer.is_opaque_itself:
        raise BadRequest(f"{name} has no source of its bytecode to compare: {answer.reason}")
    tree = _parsed(name, _text_of_file(answer.code) if text is None else text)
    if answer.code.co_name == _MODULE:
        return SideBySide(laid_out(tree.body), laid_out(answer.source))
    original, private = _definition_of(answer.code, tree, name)
    made = _definition_alone(answer)
    if private is not None:  # of a method alone, `__x` is shown as what the compiler made of it
        with_private_names([made], private, {mangled("__x", private)})
    left_out = take_off_header(original)
    if isinstance(made, ast.ClassDef):  # of its type parameters its code tells some names alone
        take_off_header(made)
    return SideBySide(laid_out([_as_statement(original, made)]), laid_out([made]), tuple(left_out))


def _text_of_file(code: CodeType) -> str | None:
    """The text of the whole file that code is from, be it a file, in a zip file or built into the interpreter."""
    from unjit.observe.functions.sources import file_of_frozen

    frozen, module = file_of_frozen(code.co_filename), inspect.getmodule(code)
    if frozen is not None:
        return text_of(Path(frozen))
    return "".join(linecache.getlines(code.co_filename, None if module is None else vars(module))) or None


def _parsed(name: str, text: str | None) -> ast.Module:
    if text is None:
        raise BadRequest(f"{name} has no source to compare with")
    try:
        tree = parse_silently(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRequest(f"the source of {name} does not parse here: {error}") from None
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node, clean=False)) is not None:
            node.body[0] = ast.copy_location(ast.Expr(ast.Constant(as_kept(text))), node.body[0])
    return tree


# ---------------------------------------------------------------- the two definitions
def _definition_of(code: CodeType, tree: ast.Module, name: str) -> tuple[Definition, str | None]:
    """The definition that code was compiled from, and the class whose private names it may use."""
    found = [
        (node, private)
        for node, private in _definitions(tree)
        if getattr(node, "name", "<lambda>") == code.co_name and _first_line(node) == code.co_firstlineno
    ]
    found = found if len(found) < 2 else list(_by_columns(code, found))
    if len(found) != 1:
        many = f"{len(found)} that are" if found else "nothing that is"
        place = f"line {code.co_firstlineno} of {code.co_filename}"
        raise BadRequest(f"{name} has no source to compare with: in {place} begins {many} called {code.co_name}")
    return found[0]


def _by_columns(code: CodeType, found: list[tuple[Definition, str | None]]) -> Iterator[tuple[Definition, str | None]]:
    """Of definitions that begin in one line the innermost around the code; all of them where columns do not tell."""
    spans = [(_begin(node), _end(node)) for node, _ in found]
    places = [one for one in Positions(code).all() if one[:2] != one[2:]]  # what no words stand for has no width
    around = [span for span in spans if all(span[0] <= one[:2] and one[2:] <= span[1] for one in places)]
    innermost = [max(around)] if around and places else spans
    return (one for one, span in zip(found, spans, strict=True) if span in innermost)


def _begin(node: Definition) -> tuple[int, int]:
    first = node.body if isinstance(node, ast.Lambda) else node.body[0]
    return first.lineno, first.col_offset


def _end(node: Definition) -> tuple[int, int]:
    last = node.body if isinstance(node, ast.Lambda) else node.body[-1]
    return last.end_lineno or last.lineno, last.end_col_offset or last.col_offset


def _definitions(tree: ast.Module) -> Iterator[tuple[Definition, str | None]]:
    """All definitions in a file, at any depth, each with the name of the class around it."""
    work: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while work:
        node, private = work.pop()
        if isinstance(node, Definition):
            yield node, private
        inside = node.name if isinstance(node, ast.ClassDef) else private
        work += [(child, inside) for child in ast.iter_child_nodes(node)]


def _first_line(node: Definition) -> int:
    """Where its code begins: at the first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _definition_alone(answer: Decompiled) -> Any:
    """What was decompiled, without the function around it that has its free variables."""
    return within_enclosing(ast.parse(answer.source).body[-1])


def _as_statement(original: Definition, made: ast.stmt) -> ast.stmt:
    """A lambda as what the decompiler makes of it, which is a function of a name of ours."""
    if not isinstance(original, ast.Lambda):
        return original
    if not isinstance(made, ast.FunctionDef):
        return ast.Expr(original)
    function = ast.parse(f"def {made.name}(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.args, function.body = original.args, [ast.Return(original.body)]
    return function
