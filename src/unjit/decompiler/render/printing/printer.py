"""Statements to text, line by line, noting which line each instruction's work ended up on."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.constants import is_text
from unjit.decompiler.ir.tree.nodes import DEFINITIONS, TRIES, Definition
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.render.definitions.classes import is_future_import
from unjit.decompiler.render.printing.brackets import DIVIDED, bare_walrus
from unjit.decompiler.render.printing.layout import WIDTH, wrapped
from unjit.decompiler.render.printing.statements import HEADS, SIMPLE, case_head, except_head
from unjit.decompiler.render.printing.writer import Writer

_INDENT = "    "


class Printer:
    """Collects `lines`; `placed` has the offsets of the instructions whose work is done on each, as 1-based lines."""

    def __init__(self, above: list[str], writer: Writer) -> None:
        self.lines = list(above)
        self.placed: list[tuple[int, list[int]]] = []
        self.first_line = 1  # of the definition
        self.spans: list[tuple[int, int, ast.AST]] = []  # first and last line of each nested definition, inner first
        self._writer = writer
        self._elsewhere = 0  # in how many definitions of other code objects the printer is: nothing is mapped there

    # ------------------------------------------------------------ the whole
    def module(self, statements: list[ast.stmt], above: list[str]) -> None:
        """Print the statements of a file; `above` goes before them, but after what must stand first in a file."""
        self.first_line = len(self.lines) + 1
        first = next((k for k, s in enumerate(statements) if not _stands_first(s, k)), len(statements))
        self._spaced_suite(statements[:first], 0)
        self.lines += above
        self._spaced_suite(statements[first:], 0)

    def definition(self, node: Definition, depth: int = 0) -> None:
        """Print the definition of the code object itself: its suite is what the offsets belong to."""
        self.first_line = len(self.lines) + 1
        self._header(node, depth)
        self._definition_body(node, depth + 1)

    def definition_inside(self, outer: str, free: tuple[str, ...], node: Definition) -> None:
        """Print the definition in a function that has its free variables."""
        self._put(f"def {outer}():", 0)
        self._put(f"{' = '.join(free)} = None", 1)
        self.definition(node, 1)
        self._put(f"return {node.name}", 1)

    def definition_in_class(self, class_: str, node: Definition) -> None:
        """Print the definition in the class that names in it are private to."""
        self._put(f"class {class_}:", 0)
        self.definition(node, 1)

    def code_at(self, line: int | None) -> CodeType | None:
        """The code of the innermost nested definition around a line."""
        around = (node for first, last, node in self.spans if line is not None and first <= line <= last)
        return getattr(next(around, None), "code", None)

    # ------------------------------------------------------------ suites
    def _suite(self, statements: list[ast.stmt], depth: int) -> None:
        for statement in statements or [ast.Pass()]:
            self._statement(statement, depth)

    def _spaced_suite(self, statements: list[ast.stmt], depth: int) -> None:
        """The suite of a file or class: blank lines around definitions."""
        blank = [""] * (1 if depth else 2)
        before: ast.stmt | None = None
        for k, statement in enumerate(statements):
            if k and (isinstance(statement, DEFINITIONS) or isinstance(before, DEFINITIONS)):
                self.lines += blank
            if depth == 0 and k == 0 and _is_docstring(statement):
                self._docstring(statement, depth)
            else:
                self._statement(statement, depth)
            before = statement

    def _definition_body(self, node: Definition, depth: int) -> None:
        body = node.body
        if body and _is_docstring(body[0]):
            self._docstring(body[0], depth)
            body = body[1:]
            if not body:
                return
        if isinstance(node, ast.ClassDef):
            if len(body) < len(node.body) and isinstance(body[0], DEFINITIONS):
                self.lines.append("")
            self._spaced_suite(body, depth)
        else:
            self._suite(body, depth)

    def _docstring(self, statement: ast.stmt, depth: int) -> None:
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Constant)
        assert isinstance(statement.value.value, str)
        self.lines += docstring_lines(statement.value.value, _INDENT * depth)

    # ------------------------------------------------------------ statements
    def _statement(self, node: ast.stmt, depth: int) -> None:
        simple = SIMPLE.get(type(node))
        if simple is not None:
            self._put(simple(self._writer, node), depth, node)
        elif isinstance(node, ast.If):
            self._if(node, depth)
        elif isinstance(node, TRIES):
            self._try(node, depth)
        elif isinstance(node, DEFINITIONS):
            self._nested_definition(node, depth)
        else:
            self._header(node, depth)
            self._parts(node, depth)

    def _header(self, node: ast.stmt, depth: int) -> None:
        """The first line of a statement with a suite."""
        for decorator in getattr(node, "decorator_list", ()):
            self._put(f"@{self._writer.text(decorator)}", depth)
        self._put(HEADS[type(node)](self._writer, node), depth, node)

    def _nested_definition(self, node: Definition, depth: int) -> None:
        first = len(self.lines) + 1
        self._header(node, depth)
        self._elsewhere += 1
        self._definition_body(node, depth + 1)
        self._elsewhere -= 1
        self.spans.append((first, len(self.lines), node))

    def _parts(self, node: ast.stmt, depth: int) -> None:
        """What stands under the head of a loop, a with or a match."""
        if isinstance(node, ast.Match):
            for case in node.cases:
                self._put(case_head(self._writer, case), depth + 1)
                self._suite(case.body, depth + 2)
        else:
            self._suite(node.body, depth + 1)  # type: ignore[attr-defined]  # all the others have one
            self._otherwise(getattr(node, "orelse", []), depth)

    def _if(self, node: ast.If, depth: int) -> None:
        word = "if"
        while True:
            self._put(f"{word} {self._writer.text(node.test, bare_walrus(node.test))}:", depth, node)
            self._suite(node.body, depth + 1)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node, word = node.orelse[0], "elif"
        self._otherwise(node.orelse, depth)

    def _otherwise(self, orelse: list[ast.stmt], depth: int) -> None:
        if orelse:
            self._put("else:", depth)
            self._suite(orelse, depth + 1)

    def _try(self, node: ast.Try, depth: int) -> None:
        self._put("try:", depth, node)
        self._suite(node.body, depth + 1)
        for handler in node.handlers:
            self._put(except_head(self._writer, handler, star=not isinstance(node, ast.Try)), depth, handler)
            self._suite(handler.body, depth + 1)
        self._otherwise(node.orelse, depth)
        if node.finalbody:
            self._put("finally:", depth)
            self._suite(node.finalbody, depth + 1)

    # ------------------------------------------------------------ lines
    def _put(self, text: str, depth: int, node: ast.AST | None = None) -> None:
        """Add a line; what was written for it, and `node`, lies on it."""
        offsets, self._writer.offsets = self._writer.offsets, []
        at = None if node is None else offset_of(node)
        if at is not None:
            offsets.append(at)
        if not self._elsewhere:
            self.placed.append((len(self.lines) + 1, offsets))
        prefix = _INDENT * depth
        if len(prefix) + len(text) <= WIDTH and text.isprintable():  # the rule, and no line end in it
            self.lines.append(prefix + text)
        elif "\n" in text:  # in a string between triple quotes, where indenting would change it
            self.lines += (prefix + text.replace(DIVIDED, "\n")).split("\n")
        else:
            self.lines += [prefix + part for part in wrapped(text, len(prefix))]


def lines_of(placed: list[tuple[int, list[int]]]) -> dict[int, int]:
    """The first line on which each instruction's work is done."""
    lines: dict[int, int] = {}
    for line, offsets in placed:
        for offset in offsets:
            lines.setdefault(offset, line)
    return lines


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and is_text(statement.value)


def _stands_first(statement: ast.stmt, place: int) -> bool:
    """Docstring and `from __future__`: nothing may stand before these."""
    return is_future_import(statement) or (place == 0 and _is_docstring(statement))


def docstring_lines(text: str, prefix: str) -> list[str]:
    """A docstring in triple quotes where that gives back exactly `text`, else as one literal."""
    if text.endswith('"') or not text.replace("\n", "").isprintable():
        return [prefix + repr(text)]
    quoted = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    first, *rest = f'"""{quoted}"""'.split("\n")
    if v.PY313 and _is_without_indentation(text):  # the compiler takes off what all lines but the first begin with
        rest = [prefix + line if line else line for line in rest]
    return [prefix + first, *rest]


def _is_without_indentation(text: str) -> bool:
    """Whether lines after the first do something, and one of them begins at once: what the compiler leaves."""
    after = [line for line in text.split("\n")[1:] if line.strip(" ")]
    return bool(after) and any(not line.startswith(" ") for line in after) and not text.startswith(" ")
