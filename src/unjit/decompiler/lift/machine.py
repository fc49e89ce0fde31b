"""The symbolic stack machine that the operations of `operations` drive.

Each value that an instruction computes becomes a `Define` of a fresh `Temp`, in the order of the instructions, so the
order of evaluation is never a question here; folding expressions back together is a pass of its own. Only what the very
next reader takes, and nobody else can, is put into its place at once (`written`): most values are, and each would be a
statement to make, to count and to fold.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import dataclass, field

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.nodes import ATOMS, LOAD, Define, Inlined, Null, Temp, copy_mark, offset_of
from unjit.decompiler.ir.order import temps_in


@dataclass(slots=True)
class Machine:
    """One block's run: `stack` holds atoms only, `statements` what has been done so far."""

    stack: list[ast.expr]
    statements: list[ast.stmt] = field(default_factory=list)
    offset: int = 0
    cells: frozenset[str] = frozenset()
    keyword_names: tuple[str, ...] = ()
    eager_locals: bool = False  # take the value of each local where it is loaded
    writes: bool = True  # whether `written` does anything: not before passes that follow single steps
    kept: set[ast.expr] = field(default_factory=set)  # values that lie in more than one place

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

    # The same for values that something is done with.
    pop, pop_many = take, take_many

    def operand(self) -> ast.expr:
        """What is on top of the stack, taken off, as `written`."""
        return self.written([self.pop()])[0]

    def operands(self, count: int) -> list[ast.expr]:
        """The same of so many values, lowest first."""
        return self.written(self.pop_many(count))

    def written(self, values: list[ast.expr]) -> list[ast.expr]:
        """Operands that are evaluated in this order and taken off the stack: as what computes them, where that is last.

        Whoever takes them must not look at which values they are any more.
        """
        statements, k = self.statements, len(values) if self.writes else 0
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
        """The value, ready for something to be done with it."""
        return value

    def spread(self, arguments: ast.expr) -> list[ast.expr]:
        """What stands in a call for positional arguments that lie in one display."""
        return [ast.Starred(self.made(arguments), LOAD)]

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

    def before_store(self, name: str, stored: ast.expr | None = None) -> None:
        """What the stack still has of local `name` is taken now: a store, of `stored`, is about to change it."""
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
        """In front of which statement a local may as well be taken: what computes these values after it was loaded."""
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
        """What the unpacking of one of these values gave, and what was unpacked: one statement stores all of it."""
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
    """Whether it is a store, to anything else, of what lay on the stack as well: of the same statement, then."""
    if type(statement) is not ast.Assign or type(statement.value) not in ATOMS:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        return isinstance(local, ast.Name) and target.id != local.id
    return isinstance(target, (ast.Attribute, ast.Subscript))
