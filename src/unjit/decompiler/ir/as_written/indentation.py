"""How far statements were indented, from the columns of what they do.

An instruction knows where the expression or statement that it came of begins. Before what a compound statement
evaluates first stands its keyword, whose length is known, and parentheses, which are not.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.jump_places import places_of_work
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import TRIES
from unjit.decompiler.ir.tree.notes import offset_of

_UNIT = 4  # how far the suite of a statement is indented, where nothing tells


class Indentation:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def of(self, statement: ast.stmt | ast.ExceptHandler) -> int | None:
        """The column at which a statement begins, or a few more; None where nothing tells.

        That of an `elif` is told as if it were an `if`.
        """
        match statement:
            case ast.Return(value=ast.Constant() | None as value):
                return self._of_constant(statement, value)
            case ast.Return(value=ast.expr() as value):
                return self._of_returned(statement, value)
            case ast.Assign(targets=[ast.Tuple(elts=[_, _, *_] as targets)]):
                return self._of_names(targets, statement.value, ", ")
            case ast.Assign(targets=[_, _, *_] as targets):
                return self._of_names(targets, statement.value, " = ")
            case ast.Assign() | ast.AugAssign() if self.place(statement) is not None:
                return self._own_column(statement)  # that of the target
            case ast.If(test=test, body=[ast.Return() as returned]) if self._encloses(returned, test):
                return self._own_column(returned)  # a return of a choice that became several
            case ast.Match(subject=ast.Name() as subject) if self._is_asked_there(subject):
                return None
        if isinstance(statement, TRIES):
            return self._of_try(statement)
        in_front, first = _evaluated_first(statement)
        start = self._start(first)
        return None if start is None or in_front is None else start - in_front

    def of_part(self, word: str, part: ast.AST) -> int | None:
        """The column at which a word begins that stands before a part of a statement."""
        start = self._start(part)
        return None if start is None else start - len(word)

    def _is_asked_there(self, subject: ast.Name) -> bool:
        """Whether the place of a subject is that of the first pattern, which a copy of it was made for."""
        place = self.place(subject)
        return place is not None and sum(other == place for other in self.graph.positions.on_line(place.line)) > 1

    def _of_constant(self, returned: ast.Return, value: ast.Constant | None) -> int | None:
        """A constant is loaded where it stands, and some versions return it there too."""
        position = self.place(returned)
        if position is None or position.line != position.end_line or position in self._done:
            return None  # or it is that of a cleanup before it
        width = position.end_column - position.column
        if value is None or is_none(value):
            return {len("return"): position.column, len("None"): position.column - len("return ")}.get(width)
        loaded = self.place(value)
        is_value = loaded is None or loaded.column == position.column
        return position.column - len("return ") if is_value else position.column

    @functools.cached_property
    def _done(self) -> set[Position | None]:
        return places_of_work(self.graph)

    def _of_returned(self, returned: ast.Return, value: ast.expr) -> int | None:
        """The return has the place of the statement, unless it stands after what cleans up."""
        if self._encloses(returned, value):
            return self._own_column(returned)
        start = self._start(value)
        return None if start is None else start - len("return ")

    def _encloses(self, statement: ast.stmt, part: ast.expr) -> bool:
        """Whether a part stands after the beginning of a statement, on the same line.

        A return that goes through a `with` has the place of that whole statement before 3.13.
        """
        own, first = self.place(statement), self.first(part)
        if own is None or first is None:
            return False
        return own.line == first.line and own < first

    def _of_names(self, names: list[ast.expr], value: ast.expr, between: str) -> int | None:
        """Several names may be stored by one instruction, in any order: the value is in its place.

        Or, if it is only loaded, where it was copied, which is the place of the whole statement.
        """
        first, width = self.first(value), _width(names, between)
        if first is None or width is None:
            return None
        in_front = width + len(" = ")
        is_whole = isinstance(value, ast.Name | ast.Constant) and first.end_column - first.column > in_front
        return first.column - (0 if is_whole else in_front + self.unsaid(value))

    def _of_try(self, statement: ast.Try) -> int | None:
        for handler in statement.handlers:
            if handler.type is not None:
                start = self._start(handler.type)
                return None if start is None else start - len("except ")
        within = self.of(statement.body[0])
        return None if within is None else within - _UNIT

    def place(self, node: ast.AST) -> Position | None:
        """The place of what a node was made from."""
        offset = offset_of(node)
        return None if offset is None else self.graph.positions.at(offset)

    def _own_column(self, statement: ast.AST) -> int | None:
        position = self.place(statement)
        return None if position is None else position.column

    def _start(self, node: ast.AST) -> int | None:
        first = self.first(node)
        return None if first is None else first.column - self.unsaid(node)

    def first(self, node: ast.AST) -> Position | None:
        """The place of what stands first in the text of a node.

        Constants within are left out: the parts of a string may have been put together from elsewhere.
        """
        found = self.place(node)
        for part in _beginnings(node):
            place = None if isinstance(part, ast.Constant) else self.place(part)
            if place is not None and (found is None or place < found):
                found = place
        return found

    def says_not_after(self, test: ast.Compare) -> bool:
        """Whether `not in` or `is not` was written: what is compared stands as far apart as that, or ends so far on."""
        left, whole = self.place(test.left), self.place(test)
        if left is None or whole is None or left.end_line != whole.end_line or left == whole:
            return False
        right = self.first(test.comparators[0])
        words = len(" not in ") if isinstance(test.ops[0], ast.NotIn) else len(" is not ")
        if right is not None and right != whole:
            return right.line == left.end_line and right.column - left.end_column == words
        return is_none(test.comparators[0]) and whole.end_column - left.end_column == words + len("None")

    def last_line(self, node: ast.AST) -> int:
        """The last line of what a node was made from; 0 where nothing tells."""
        return max((place.end_line for part in ast.walk(node) if (place := self.place(part)) is not None), default=0)

    def unsaid(self, node: ast.AST) -> int:
        """How much room before that is taken by each `not` that only a jump says."""
        width = 0
        while True:
            own = self.place(node)
            match node:
                case ast.UnaryOp(op=ast.Not(), operand=operand) if own is None or own == self.place(operand):
                    width, node = width + len("not "), operand
                case ast.BoolOp(values=[first, *_]):
                    node = first
                case ast.Compare(left=first) | ast.BinOp(left=first) if own is None:
                    node = first
                case _:
                    return width


def _beginnings(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that may stand first in its text: all of them, where its class does not tell which does."""
    while (field := _LEFTMOST.get(type(node))) is not None:
        part = getattr(node, field)
        node = part[0] if isinstance(part, list) else part
        yield node
    if not isinstance(node, ast.Name | ast.Constant):
        yield from ast.walk(node)


_LEFTMOST = {  # which part its text begins with
    ast.Call: "func",
    ast.Attribute: "value",
    ast.Subscript: "value",
    ast.BinOp: "left",
    ast.Compare: "left",
    ast.BoolOp: "values",
    ast.UnaryOp: "operand",
    ast.IfExp: "body",
    ast.Await: "value",
    ast.Expr: "value",
}

_FIRST = {  # the word that a statement begins with, and what is evaluated first of it
    ast.If: ("if ", "test"),
    ast.While: ("while ", "test"),
    ast.Assert: ("assert ", "test"),
    ast.Match: ("match ", "subject"),
    ast.Delete: ("del ", "targets"),
    ast.With: ("with ", "items"),
    ast.AsyncWith: ("async with ", "items"),
    ast.Assign: ("", "targets"),
    ast.AugAssign: ("", "target"),
    ast.AnnAssign: ("", "target"),
}


def _evaluated_first(statement: ast.AST) -> tuple[int | None, ast.AST]:
    """What has instructions and stands first in a statement, and how much room the words before it take."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        words = "for  in " if isinstance(statement, ast.For) else "async for  in "
        return _with_target(words, statement.target), statement.iter
    word, field = _FIRST.get(type(statement), ("", None))
    first = statement if field is None else getattr(statement, field)
    return len(word), first[0] if isinstance(first, list) else first


def _with_target(words: str, target: ast.expr) -> int | None:
    width = _width(target.elts if isinstance(target, ast.Tuple) else [target], ", ")
    return None if width is None else len(words) + width


def _width(names: list[ast.expr], between: str) -> int | None:
    """How much room so many names take, with what divides them; None if any is no name."""
    if not all(isinstance(name, ast.Name) for name in names):
        return None
    return len(between.join(name.id for name in names if isinstance(name, ast.Name)))
