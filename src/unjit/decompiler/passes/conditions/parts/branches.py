"""Whether branches are parts of one condition, and the tests that they are put together to."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Jump, NextItem
from unjit.decompiler.ir.flow.jumps import same_target
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of
from unjit.decompiler.passes.conditions.parts.operated_choices import choice_in_operation


def is_outcome(test: ast.expr, value: ast.expr, operator: type[ast.boolop]) -> bool:
    """Whether `value` is the test's own: the test, or the last operand of an `and` that holds or an `or` that fails."""
    if value is test:
        return True
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, operator):
        return False
    return value is test.values[-1] and isinstance(value, ast.Name | ast.Constant)


def is_tested(branch: Branch, value: ast.expr) -> bool:
    """Whether the value is the very one that the branch tests."""
    return value is branch.test


def both_hand_on_the_tested(test: ast.expr, edge: Edge, kept: ast.expr, inner: Edge) -> bool:
    """Whether both edges lead to one block and differ in one value: each hands on the one that its own branch tested.

    So it is in `(x and y) and z` and `(x or y) or z`.
    """
    if edge.target is not inner.target or len(edge.args) != len(inner.args):
        return False
    pairs = zip(edge.args, inner.args, strict=True)
    differing = [(one, other) for one, other in pairs if not same_expression(one, other)]
    return len(differing) == 1 and differing[0][0] is test and differing[0][1] is kept


def same_edge(a: Edge, b: Edge, *, in_expression: bool = False) -> bool:
    """Whether both lead to one block with the same values, and by the same statement, if by any: of one line.

    Within one expression lines do not count.
    """
    if a.line != b.line and not in_expression:
        return False
    return same_target(a, b)


def one_of(block: Block, branch: Branch, then: Branch, other: Branch) -> Branch | None:
    """One branch for three, the first of which chooses between two tests; None if these do not lead to two blocks."""
    if not _is_choice(block, branch):
        return None
    if same_edge(then.true, other.true) and same_edge(then.false, other.false):
        return Branch(choice(branch.test, then.test, other.test), then.true, then.false, then.falls_through)
    if same_edge(then.true, other.false) and same_edge(then.false, other.true):
        chosen = choice(branch.test, then.test, negated(other.test))
        return Branch(chosen, then.true, then.false, not other.falls_through)
    return None


def _is_choice(block: Block, branch: Branch) -> bool:
    """Whether a test chooses between two others in `x if test else y`, and not as an `if` with tests in its suites.

    Lines tell: `x` is written before the test, a suite after it. Up to 3.11 the jump has the line on which the
    whole expression begins, and what it tests a line of its own.
    """
    first = min(branch.true.target, branch.false.target, key=lambda arm: arm.offset)
    asked = [instr.line for instr in block.instrs[-2:] if instr.line is not None]
    return not asked or first.first_line is None or first.first_line <= max(asked)


def is_certain_choice(block: Block, inner: Block, edge: Edge) -> bool:
    """Whether the test of `block` stands in `x if test else y`: an outcome is written before it, as no suite is.

    One outcome is the test in `inner`, the other a constant, of which only the line of `edge` is left. Where the jump
    has an earlier line than what it tests, that of the whole expression, the two lines may be equal. A `while` has its
    test before what it was compiled after, too: such a test leads back to its suite.
    """
    if any(way.target.offset <= block.offset and _is_no_head(way.target) for way in inner.terminator.edges()):
        return False
    asked = [instr.line for instr in block.instrs[-2:] if instr.line is not None]
    written = [line for line in (inner.first_line, edge.line) if line is not None]
    return bool(asked and written) and min(written) < max(asked) + (min(asked) < max(asked))


def is_test_of_the_loop(block: Block, inner: Block) -> bool:
    """Whether `inner` is the test of a `while`, repeated at the end of the loop after the test in `block`.

    Then `block` is an `if x: break` at the end of the suite, which stands below the line of `while`. What is written
    above the suite is a part of the test itself.
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


def choice(test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr:
    """`then if test else other`, the other way round if `other` was compiled first: what is chosen if it holds is."""
    first, second = _asked_at(then), _asked_at(other)
    if first is not None and second is not None and first > second:
        test, then, other = negated(test), other, then
    return choice_in_operation(test, then, other) or ast.IfExp(test, then, other)


def _asked_at(value: ast.expr) -> int | None:
    """The offset at which the value is computed; of a conditional expression, at which its test is."""
    at = offset_of(value)
    return _asked_at(value.test) if at is None and isinstance(value, ast.IfExp) else at


def joined(operator: ast.boolop, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first op second`; if the second is a chain of the same operator, its operands join the list."""
    values = [first]
    if isinstance(second, ast.BoolOp) and type(second.op) is type(operator):
        values += second.values
    else:
        values.append(second)
    joined = ast.BoolOp(operator, values)
    copy_mark(first, joined)
    return joined


def ways_of_one_test(block: Block) -> list[tuple[bool, Edge]]:
    """The edges out of a block that only tests the one value it is handed, each with the outcome of the test.

    Where the test is the first operand of an `and` or `or` by now, those alone that hand the value on.
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
    """Whether the compiler led the block's jump past another test of the same value (3.14)."""
    return isinstance(block.terminator, Branch) and block.terminator.is_shortened


def in_parentheses(operator: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
    """`(first op second) op third`, for a jump that was led past the test of the first two (see `is_shortened`)."""
    if not (isinstance(rest, ast.BoolOp) and type(rest.op) is type(operator)):
        return joined(operator, first, rest)
    inner = joined(operator, first, rest.values[0])
    whole = ast.BoolOp(operator, [inner, *rest.values[1:]])
    copy_mark(inner, whole)
    return whole


def either(first: ast.expr, second: ast.expr) -> ast.expr:
    """`first or second`."""
    return joined(ast.Or(), first, second)
