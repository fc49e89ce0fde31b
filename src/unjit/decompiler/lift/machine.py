"""The symbolic stack machine that the operations of `operations` drive.

Each value that an instruction computes becomes a `Define` of a fresh `Temp`, in the order of the instructions, so the
order of evaluation is never a question here; folding expressions back together is a pass of its own. Only what the very
next reader takes, and nobody else can, is put into its place at once (`folded`): most values are, and each would be a
statement to make, to count and to fold.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import dataclass, field

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import ATOMS, LOAD, Define, Inlined, Null, Temp
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of
from unjit.decompiler.ir.tree.order import temps_in


@dataclass(slots=True)
class Machine:
    """One block's run: `stack` holds atoms only, `statements` what has been done so far."""

    stack: list[ast.expr]
    statements: list[ast.stmt] = field(default_factory=list)
    offset: int = 0
    cells: frozenset[str] = frozenset()
    keyword_names: tuple[str, ...] = ()
    eager_locals: bool = False  # take the value of each local where it is loaded
    folds_operands: bool = True  # see `folded`; not before passes that follow single steps
    kept: set[ast.expr] = field(default_factory=set)  # values that more than one place holds: not to be folded

    def take(self) -> ast.expr:
        """Take the top of the stack, whatever it is."""
        if not self.stack:
            raise CannotExpress(f"the stack is empty at offset {self.offset}")
        return self.stack.pop()

    def take_many(self, count: int) -> list[ast.expr]:
        """The top `count` values, lowest first."""
        if count == 0:
            return []
        if len(self.stack) < count:
            raise CannotExpress(f"the stack is too short at offset {self.offset}")
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    # The same for values that the instruction uses: a subclass may have to make them first.
    pop, pop_many = take, take_many

    def operand(self) -> ast.expr:
        """Pop one value, as an operand to be read here and nowhere else; see `folded`."""
        return self.folded([self.pop()])[0]

    def operands(self, count: int) -> list[ast.expr]:
        """Pop so many values, lowest first, as such operands."""
        return self.folded(self.pop_many(count))

    def folded(self, values: list[ast.expr]) -> list[ast.expr]:
        """These operands, evaluated in this order, with the expression itself for each Temp that was defined last.

        Its `Define` goes. The caller must not ask any more which values they are. Changes the list that it is given.
        """
        statements, k = self.statements, len(values) if self.folds_operands else 0
        while k and statements:
            last = statements[-1]
            if type(last) is not Define:
                break
            k -= 1
            while type(values[k]) is not Temp:
                if k == 0:
                    return values
                k -= 1
            if values[k] is not last.temp or last.temp in self.kept:
                break
            values[k] = last.value
            statements.pop()
        return values

    def made(self, value: ast.expr) -> ast.expr:
        """The value, ready to be used by an operation; here it always is (see `seen_through`)."""
        return value

    def spread(self, arguments: ast.expr) -> list[ast.expr]:
        """The arguments of a call that gets its positional ones as one tuple or list."""
        return [ast.Starred(self.made(arguments), LOAD)]

    def shown_stack(self) -> tuple[ast.expr, ...]:
        """What lies on the stack here, lowest first, to be shown and not to be used."""
        return tuple(self.stack)

    def peek(self, depth: int) -> ast.expr:
        if not 1 <= depth <= len(self.stack):
            raise CannotExpress(f"the stack is too short at offset {self.offset}")
        return self.stack[-depth]

    def push_atom(self, value: ast.expr, offset: int | None = None) -> None:
        """Push a value that nothing computes; `offset` is that of the instruction that it comes from, if it has one."""
        assert type(value) in ATOMS
        if offset is not None:
            value.at = offset  # type: ignore[attr-defined]  # as `mark` does
        self.stack.append(value)

    def push_nulls(self, count: int) -> None:
        for _ in range(count):
            self.push_atom(Null())

    def push_again(self, value: ast.expr) -> None:
        """Push a value that lies on the stack already."""
        self.kept.add(value)
        self.push_atom(value)

    def push(self, value: ast.expr) -> Temp:
        """Define a temp as `value`, computed here, and push it."""
        temp = Temp()
        temp.definition = value
        statement = Define(temp, value)
        value.at = temp.at = statement.at = self.offset  # type: ignore[attr-defined]  # as `mark` does
        self.statements.append(statement)
        self.stack.append(temp)
        return temp

    def define(self, value: ast.expr) -> Temp:
        """The same for a temp that does not lie on top of the stack."""
        self.push(value)
        return self.stack.pop()  # type: ignore[return-value]  # the temp

    def take_back(self, value: ast.expr) -> bool:
        """Drop the `Define` of a value, if that was the last thing done."""
        last = self.statements[-1] if self.statements else None
        if type(last) is not Define or last.temp is not value:
            return False
        self.statements.pop()
        return True

    def before_store(self, name: str, stored: ast.expr | None = None) -> None:
        """Take the value of local `name` wherever the stack still holds it: it is about to be stored to, or deleted.

        `stored` is the value, if it is a store.
        """
        if not self.stack:  # as at the end of most statements
            return
        waiting = [k for k, value in enumerate(self.stack) if type(value) is ast.Name and value.id == name]
        for k in reversed(waiting):
            value, taken = self.stack[k], Temp()
            taken.definition = ast.Name(name, LOAD)
            define = Define(taken, taken.definition)
            taken.at = define.at = self.offset  # type: ignore[attr-defined]  # as `mark` does
            copy_mark(value, taken.definition)
            self.kept.add(taken)
            self.statements.insert(self._where_computed([*self.stack[k + 1 :], stored], value), define)
            self.stack[k] = taken

    def _where_computed(self, values: list[ast.expr | None], local: ast.expr) -> int:
        """The index of the statement before which a local may be taken.

        What was done since it was loaded is passed if it only computes these values, which lie above it.
        """
        wanted, place = {*values, *self._unpacked_with(values)}, len(self.statements)
        while place and (offset_of(self.statements[place - 1]) or 0) > (offset_of(local) or 0):
            last = self.statements[place - 1]
            if type(last) is Define and last.temp in wanted:
                wanted.update(temps_in(last.value))
            elif not (_unpacks(last, wanted) or _stores_another(last, local)):
                break
            place -= 1
        return place

    def _unpacked_with(self, values: list[ast.expr | None]) -> list[ast.expr]:
        """All that the unpacking which gave one of these values gave, and what was unpacked: it is one statement."""
        for statement in reversed(self.statements):
            if _unpacks(statement, values):
                assert isinstance(statement, ast.Assign)
                return [*temps_in(statement.targets[0]), statement.value]
            if type(statement) is not ast.Assign:
                break
        return []

    def before_leaving(self, depth: int) -> None:
        """Values of locals that lie above `depth` are taken now: control leaves the handler of that depth.

        What is returned is taken in the `try`, whatever the `finally` does to the local.
        """
        for k, value in enumerate(self.stack):
            if k >= depth and type(value) is ast.Name:
                taken = self.stack[k] = self.define(ast.Name(value.id, LOAD))
                assert taken.definition is not None
                copy_mark(value, taken.definition)

    def emit(self, statement: ast.stmt) -> None:
        statement.at = self.offset  # type: ignore[attr-defined]  # as `mark` does
        self.statements.append(statement)

    def run_inlined(self, instr: Instr, instrs: tuple[Instr, ...]) -> None:
        """Do a whole comprehension: it takes an iterator and leaves a display."""
        self.offset = instr.offset
        self.push(Inlined(instrs, self.pop(), self.cells))


def _unpacks(statement: ast.stmt, values: Container[ast.expr | None]) -> bool:
    """Whether it gives one of these values, among others."""
    if type(statement) is not ast.Assign or not isinstance(statement.targets[0], ast.Tuple):
        return False
    return any(temp in values for temp in temps_in(statement.targets[0]))


def _stores_another(statement: ast.stmt, local: ast.expr) -> bool:
    """Whether it stores a value from the stack to something else than `local`: a part of the same assignment, then."""
    if type(statement) is not ast.Assign or type(statement.value) not in ATOMS:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        return isinstance(local, ast.Name) and target.id != local.id
    return isinstance(target, (ast.Attribute, ast.Subscript))
