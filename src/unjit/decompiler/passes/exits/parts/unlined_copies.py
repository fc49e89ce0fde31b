"""What tells that two exits are copies of one where instructions have no lines: what control comes from.

Of two that do the same either may have been written. But what follows a `with` is where an exception that its manager
swallowed leads to as well, which nobody wrote; the test of a `while` stands before the loop and at its end, and
leaves it to one place; a chained comparison fails in one way; and what follows a `try` is seldom said once more at
the end of each of its handlers, but for a plain `return`.
"""

from __future__ import annotations

from unjit.decompiler.ir.flow.exits import returns_nothing
from unjit.decompiler.ir.flow.graph import Block, Branch, Construct, Edge, EnterTry
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.negation import are_opposites
from unjit.decompiler.ir.tree.order import temps_in


def came_of_one(one: Block, before: Block | None, other: Block, also: Block | None) -> bool:
    """Whether two exits that do the same, entered from `before` and `also`, were one."""
    if before is None or also is None:
        return False
    if _is_after_with(before, one) or _is_after_with(also, other):
        return True
    if (before.leaves_handler or also.leaves_handler) and not returns_nothing(one):
        return True
    return _ask_the_same(before, one, also, other) or _are_chained(before, also) or _are_chained(also, before)


def _is_after_with(block: Block, following: Block) -> bool:
    entering = block.terminator
    if not isinstance(entering, EnterTry) or entering.construct is not Construct.WITH:
        return False
    return entering.caught.target is following


def _ask_the_same(block: Block, exit_: Block, other: Block, also: Block) -> bool:
    """Whether both blocks ask the same, and go to one place where they do not go to these exits."""
    first, second = block.terminator, other.terminator
    if not isinstance(first, Branch) or not isinstance(second, Branch):
        return False
    stays, stays_too = _other_edge(first, exit_), _other_edge(second, also)
    if stays.target is not stays_too.target or stays.args or stays_too.args:
        return False
    alike = (stays is first.true) == (stays_too is second.true)
    return (same_expression if alike else are_opposites)(first.test, second.test)


def _are_chained(block: Block, following: Block) -> bool:
    """Whether the second asks more of a value that the first, which leads there, has asked about."""
    first, second = block.terminator, following.terminator
    if not isinstance(first, Branch) or not isinstance(second, Branch) or following not in block.successors():
        return False
    return not set(temps_in(first.test)).isdisjoint(temps_in(second.test))


def _other_edge(branch: Branch, target: Block) -> Edge:
    return branch.false if branch.true.target is target else branch.true
