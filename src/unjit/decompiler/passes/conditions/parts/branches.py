"""What branches have in common when they are parts of one condition, and what they are put together to."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.compare import same_expression
from unjit.decompiler.ir.graph import Block, Branch, Edge, Jump, NextItem
from unjit.decompiler.ir.jumps import same_target
from unjit.decompiler.ir.negation import negated
from unjit.decompiler.ir.nodes import offset_of


def is_outcome(test: ast.expr, value: ast.expr, operator: type[ast.boolop]) -> bool:
    """Whether `value` is what the test comes to: itself, or the last of an `and` that holds or an `or` that fails."""
    if value is test:
        return True
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, operator):
        return False
    return value is test.values[-1] and isinstance(value, ast.Name | ast.Constant)


def is_tested(branch: Branch, value: ast.expr) -> bool:
    return value is branch.test


def hand_on(test: ast.expr, edge: Edge, kept: ast.expr, inner: Edge) -> bool:
    """Whether both edges hand on what was tested, each its own: `(x and y) and z`, `(x or y) or z`."""
    if edge.target is not inner.target or len(edge.args) != len(inner.args):
        return False
    pairs = zip(edge.args, inner.args, strict=True)
    differing = [(one, other) for one, other in pairs if not same_expression(one, other)]
    return len(differing) == 1 and differing[0][0] is test and differing[0][1] is kept


def same_edge(a: Edge, b: Edge, *, in_expression: bool = False) -> bool:
    """The same place with the same values, and not by two statements of which one says so and one does not."""
    if a.line != b.line and not in_expression:
        return False
    return same_target(a, b)


def one_of(block: Block, branch: Branch, then: Branch, other: Branch) -> Branch | None:
    """The branch on one of two tests that lead to the same places, or each to where the other does not."""
    if not _is_choice(block, branch):
        return None
    if same_edge(then.true, other.true) and same_edge(then.false, other.false):
        return Branch(choice(branch.test, then.test, other.test), then.true, then.false, then.falls_through)
    if same_edge(then.true, other.false) and same_edge(then.false, other.true):
        chosen = choice(branch.test, then.test, negated(other.test))
        return Branch(chosen, then.true, then.false, not other.falls_through)
    return None


def _is_choice(block: Block, branch: Branch) -> bool:
    """Whether a test chooses between two others in one expression: there, the first is written in front of the test.

    In the suite of an `if` it is written behind it. Up to 3.11 what jumps has the line on which the whole expression
    begins, and what was asked a line of its own.
    """
    first = min(branch.true.target, branch.false.target, key=lambda arm: arm.offset)
    asked = [instr.line for instr in block.instrs[-2:] if instr.line is not None]
    return not asked or first.first_line is None or first.first_line <= max(asked)


def is_certain_choice(block: Block, inner: Block, edge: Edge) -> bool:
    """Whether what a way out of a test comes to is written in front of it, as nothing is in the suite of an `if`.

    It is another test, `inner`, on the one way; on the other, `edge`, a constant, of which only its line is left. Where
    what jumps has an earlier line than what was asked, which is that of the whole expression, the line of that will do.
    The test of a `while` is written in front, too, of what it is compiled behind: it leads back to that.
    """
    if any(way.target.offset <= block.offset and _is_no_head(way.target) for way in inner.terminator.edges()):
        return False
    asked = [instr.line for instr in block.instrs[-2:] if instr.line is not None]
    written = [line for line in (inner.first_line, edge.line) if line is not None]
    return bool(asked and written) and min(written) < max(asked) + (min(asked) < max(asked))


def is_test_of_the_loop(block: Block, inner: Block) -> bool:
    """Whether what is asked in `inner`, behind the test in `block`, is the test of a `while`: it is written above that.

    The compiler asks it once more at the end of the loop, where an `if x: break` may stand in front of it. What is
    written above the suite that it goes back to is no such `if`, but a part of the test.
    """
    suite = next((way.target for way in inner.terminator.edges() if way.target.offset <= block.offset), None)
    if suite is None or inner.first_line is None or block.last_line is None:
        return False
    if isinstance(suite.terminator, NextItem):
        return False  # the next item of a `for` or comprehension, which no suite begins with
    is_part = suite.first_line is not None and block.last_line < suite.first_line
    return inner.first_line < block.last_line and not is_part


def _is_no_head(block: Block) -> bool:
    return not isinstance(block.terminator, NextItem)


def choice(test: ast.expr, then: ast.expr, other: ast.expr) -> ast.IfExp:
    """What is chosen if the test holds is compiled first: where it stands last, the opposite was asked."""
    first, second = _asked_at(then), _asked_at(other)
    if first is not None and second is not None and first > second:
        return ast.IfExp(negated(test), other, then)
    return ast.IfExp(test, then, other)


def _asked_at(value: ast.expr) -> int | None:
    """Where it is computed: of a choice in it, its test."""
    at = offset_of(value)
    return _asked_at(value.test) if at is None and isinstance(value, ast.IfExp) else at


def joined(operator: ast.boolop, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first op second`; a second of the same operator joins the list, as the grammar nests to the right."""
    values = [first]
    if isinstance(second, ast.BoolOp) and type(second.op) is type(operator):
        values += second.values
    else:
        values.append(second)
    joined = ast.BoolOp(operator, values)
    joined.at = getattr(first, "at", None)  # type: ignore[attr-defined]
    return joined


def ways_of_one_test(block: Block) -> list[tuple[bool, Edge]]:
    """The ways out of a block that only tests the one value it is handed, each with how the test turns out for it.

    Where the test is the first part of an `and` or `or` by now, those alone on which the value is handed on.
    """
    (handed,), terminator = block.params, block.terminator
    if block.statements:
        return []
    if isinstance(terminator, Branch):
        return [(True, terminator.true), (False, terminator.false)] if terminator.test is handed else []
    edge = terminator.edge if isinstance(terminator, Jump) else Edge(block)
    tested = [arg for arg in edge.args if isinstance(arg, ast.BoolOp) and arg.values[0] is handed]
    return [
        (isinstance(value.op, ast.Or), Edge(edge.target, [handed if arg is value else arg for arg in edge.args]))
        for value in tested
    ]


def is_shortened(block: Block) -> bool:
    return isinstance(block.terminator, Branch) and block.terminator.is_shortened


def in_parentheses(operator: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
    """`(first op second) op third`: the first test would lead to that of the first two, had it not been shortened."""
    if not (isinstance(rest, ast.BoolOp) and type(rest.op) is type(operator)):
        return joined(operator, first, rest)
    inner = joined(operator, first, rest.values[0])
    return ast.BoolOp(operator, [inner, *rest.values[1:]])


def either(first: ast.expr, second: ast.expr) -> ast.expr:
    return joined(ast.Or(), first, second)
