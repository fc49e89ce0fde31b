"""Statements to text, line by line, noting which line each instruction's work ended up on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from types import CodeType

from unjit.decompiler.ir.nodes import offset_of
from unjit.decompiler.render.classes import is_future_import
from unjit.decompiler.render.layout import wrapped

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_INDENT = "    "


class Printer:
    """Collects `lines`; `line_of` maps the offset of an instruction to the 1-based line that does its work."""

    def __init__(self, above: list[str]) -> None:
        self.lines = list(above)
        self.line_of: dict[int, int] = {}
        self.first_line = 1  # of the definition
        self.spans: list[tuple[int, int, ast.AST]] = []  # first and last line of each nested definition, inner first

    def suite(self, statements: list[ast.stmt], depth: int, *, mapped: bool = True) -> None:
        for statement in statements or [ast.Pass()]:
            self.statement(statement, depth, mapped=mapped)

    def module(self, statements: list[ast.stmt], above: list[str]) -> None:
        """Print the statements of a file; `above` goes before them, but behind what must stand first in a file."""
        self.first_line = len(self.lines) + 1
        first = next((k for k, s in enumerate(statements) if not _stands_first(s, k)), len(statements))
        self._spaced_suite(statements[:first], 0, mapped=True)
        self.lines += above
        self._spaced_suite(statements[first:], 0, mapped=True)

    def _spaced_suite(self, statements: list[ast.stmt], depth: int, *, mapped: bool) -> None:
        """The suite of a file or class: blank lines around definitions."""
        blank = [""] * (1 if depth else 2)
        before: ast.stmt | None = None
        for k, statement in enumerate(statements):
            if k and (isinstance(statement, _DEFINITIONS) or isinstance(before, _DEFINITIONS)):
                self.lines += blank
            if depth == 0 and k == 0 and _is_docstring(statement):
                self._docstring(statement, depth)
            else:
                self.statement(statement, depth, mapped=mapped)
            before = statement

    def _definition_body(self, node: Definition, depth: int, *, mapped: bool) -> None:
        body = node.body
        if body and _is_docstring(body[0]):
            self._docstring(body[0], depth)
            body = body[1:]
            if not body:
                return
        if isinstance(node, ast.ClassDef):
            if len(body) < len(node.body) and isinstance(body[0], _DEFINITIONS):
                self.lines.append("")
            self._spaced_suite(body, depth, mapped=mapped)
        else:
            self.suite(body, depth, mapped=mapped)

    def _docstring(self, statement: ast.stmt, depth: int) -> None:
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Constant)
        assert isinstance(statement.value.value, str)
        self.lines += docstring_lines(statement.value.value, _INDENT * depth)

    def definition(self, node: Definition, depth: int = 0) -> None:
        """Print the definition of the code object itself: its suite is what the offsets belong to."""
        self.first_line = len(self.lines) + 1
        self._header(node, depth, mapped=True)
        self._definition_body(node, depth + 1, mapped=True)

    def definition_inside(self, outer: str, free: tuple[str, ...], node: Definition) -> None:
        """Print the definition in a function that has its free variables."""
        self._put(f"def {outer}():", 0)
        self._put(f"{' = '.join(free)} = None", 1)
        self.definition(node, 1)
        self._put(f"return {node.name}", 1)

    def statement(self, node: ast.stmt, depth: int, *, mapped: bool) -> None:
        """Print one statement; what is nested in a function definition belongs to other bytecode: not mapped."""
        if isinstance(node, ast.Try):
            self._try(node, depth, mapped=mapped)
        elif isinstance(node, ast.If):
            self._if(node, depth, "if", mapped=mapped)
        elif isinstance(node, _DEFINITIONS):
            first = len(self.lines) + 1
            self._header(node, depth, mapped=mapped)
            self._definition_body(node, depth + 1, mapped=False)
            self.spans.append((first, len(self.lines), node))
        elif hasattr(node, "body"):
            self._header(node, depth, mapped=mapped)
            self.suite(node.body, depth + 1, mapped=mapped)
            self._otherwise(getattr(node, "orelse", []), depth, mapped=mapped)
        else:
            self._note(node, mapped=mapped)
            self._put(_simple(node), depth)

    # ------------------------------------------------------------ compound statements
    def _if(self, node: ast.If, depth: int, word: str, *, mapped: bool) -> None:
        while True:
            self._note_parts(node, mapped=mapped)
            self._put(f"{word} {ast.unparse(node.test)}:", depth)
            self.suite(node.body, depth + 1, mapped=mapped)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node, word = node.orelse[0], "elif"
        self._otherwise(node.orelse, depth, mapped=mapped)

    def _otherwise(self, orelse: list[ast.stmt], depth: int, *, mapped: bool) -> None:
        if orelse:
            self._put("else:", depth)
            self.suite(orelse, depth + 1, mapped=mapped)

    def _try(self, node: ast.Try, depth: int, *, mapped: bool) -> None:
        self._note_parts(node, mapped=mapped)
        self._put("try:", depth)
        self.suite(node.body, depth + 1, mapped=mapped)
        for handler in node.handlers:
            self._note_parts(handler, mapped=mapped)
            caught = f" {ast.unparse(handler.type)}" if handler.type is not None else ""
            named = f" as {handler.name}" if handler.name is not None else ""
            self._put(f"except{caught}{named}:", depth)
            self.suite(handler.body, depth + 1, mapped=mapped)
        self._otherwise(node.orelse, depth, mapped=mapped)
        if node.finalbody:
            self._put("finally:", depth)
            self.suite(node.finalbody, depth + 1, mapped=mapped)

    def _header(self, node: ast.stmt, depth: int, *, mapped: bool) -> None:
        """The first lines of a compound statement: the statement with another body, but for that body."""
        self._note_parts(node, mapped=mapped)
        shown = copy.copy(node)
        shown.body = [ast.Pass()]  # type: ignore[attr-defined]  # every statement given here has one
        if getattr(shown, "orelse", None):
            shown.orelse = []  # type: ignore[attr-defined]
        shown.lineno = 0  # unparse looks for type comments by line
        for line in ast.unparse(shown).splitlines()[:-1]:
            self._put(line, depth)

    # ------------------------------------------------------------ lines
    def code_at(self, line: int | None) -> CodeType | None:
        """The code of the innermost nested definition around a line."""
        around = (node for first, last, node in self.spans if line is not None and first <= line <= last)
        return getattr(next(around, None), "code", None)

    def _put(self, text: str, depth: int) -> None:
        prefix = _INDENT * depth
        self.lines += [prefix + line for line in wrapped(text, len(prefix))]

    def _note_parts(self, node: ast.AST, *, mapped: bool) -> None:
        """Map the node and its expressions, not the statements in it, to the next line."""
        if not mapped:
            return
        self._note_one(node)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.excepthandler):
                self._note(child, mapped=mapped)

    def _note(self, node: ast.AST, *, mapped: bool) -> None:
        if mapped:
            for part in _walk_own(node):
                self._note_one(part)

    def _note_one(self, node: ast.AST) -> None:
        offset = offset_of(node)
        if offset is not None:
            self.line_of.setdefault(offset, len(self.lines) + 1)


def _is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _stands_first(statement: ast.stmt, place: int) -> bool:
    """Docstring and `from __future__`: nothing may stand before these."""
    return is_future_import(statement) or (place == 0 and _is_docstring(statement))


def docstring_lines(text: str, prefix: str) -> list[str]:
    """A docstring in triple quotes where that gives back exactly `text`, else as one literal."""
    quoted = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    shown = f'"""{quoted}"""'
    try:
        exact = ast.literal_eval(shown) == text
    except (SyntaxError, ValueError):
        exact = False
    if not exact or any(not (c.isprintable() or c == "\n") for c in text):
        return [prefix + repr(text)]
    first, *rest = shown.split("\n")
    return [prefix + first, *rest]


def _simple(node: ast.stmt) -> str:
    """A simple statement; `return a, b` and `a, b = b, a` need no parentheses."""
    node.lineno = 0  # unparse looks for type comments by line
    text = ast.unparse(node)
    value = getattr(node, "value", None)
    if isinstance(node, ast.Return | ast.Assign) and isinstance(value, ast.Tuple) and len(value.elts) > 1:
        shown = ast.unparse(value)
        if text.endswith(shown) and shown.startswith("("):
            text = text[: -len(shown)] + shown[1:-1]
    return text


def _walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """The node and its parts, without the bodies of lambdas: those are other bytecode."""
    work = [node]
    while work:
        current = work.pop()
        yield current
        children = current.args.defaults if isinstance(current, ast.Lambda) else ast.iter_child_nodes(current)
        work.extend(children)
