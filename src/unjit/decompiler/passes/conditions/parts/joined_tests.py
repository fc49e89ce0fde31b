"""Two tests, or a test and a value, as one expression: `and`, `or`, or a chained comparison.

The block that they belong to gives up the definitions of the values that become operands.
"""

from __future__ import annotations

import ast

from unjit.decompiler.folding.fold import consume
from unjit.decompiler.ir.flow.graph import Block
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.passes.conditions.parts.branches import either, in_parentheses, is_shortened, joined


def and_of(block: Block, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first and second`, or `a < b < c` if the second goes on with the value that the first ends with."""
    if is_shortened(block):
        return in_parentheses(ast.And(), first, second)
    if isinstance(second, ast.BoolOp) and isinstance(second.op, ast.And):  # what follows was joined already
        chain = chained(block, first, second.values[0])
        if chain is not None:
            return joined(ast.And(), chain, ast.BoolOp(second.op, second.values[1:]))
    return chained(block, first, second) or joined(ast.And(), first, second)


def or_of_values(block: Block, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first or second`, where the first is the value of the expression if it is true."""
    return in_parentheses(ast.Or(), first, second) if is_shortened(block) else either(first, second)


def or_of_tests(block: Block, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first or second`; of two comparisons in a chain, each tested for failing, `not a < b < c or second`."""
    tests = second.values if isinstance(second, ast.BoolOp) and isinstance(second.op, ast.Or) else [second]
    chain = chained(block, negated(first), negated(tests[0]))
    if chain is None:
        return either(first, second)
    return joined(ast.Or(), negated(chain), ast.BoolOp(ast.Or(), tests[1:])) if tests[1:] else negated(chain)


def chained(block: Block, first: ast.expr, second: ast.expr) -> ast.expr | None:
    """`a < b < c`: the second comparison starts with the very value that ended the first."""
    if not (isinstance(first, ast.Compare) and isinstance(second, ast.Compare)):
        return None
    shared = first.comparators[-1]
    if second.left is not shared:
        return None
    value = value_tested(block, shared)
    if value is None:
        return None
    first.comparators[-1] = value
    chain = ast.Compare(first.left, first.ops + second.ops, first.comparators + second.comparators)
    copy_mark(first, chain)
    consume(block.statements, chain)
    return chain


def value_tested(block: Block, test: ast.expr) -> ast.expr | None:
    """The expression that was tested, its definition taken from the block.

    None where more than the test and one other place read it. A value that the block is handed stays a Temp: it will be
    put there when it is read once.
    """
    if not isinstance(test, Temp):
        return test
    if test in block.params and test.uses == 2:
        test.uses = 1
        return test
    last = block.statements[-1] if block.statements else None
    if not (isinstance(last, Define) and last.temp is test and test.uses == 2):
        return None
    block.statements.pop()
    test.uses = 0
    return last.value
