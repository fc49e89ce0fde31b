"""What two arms that end alike differ in: one expression, where one statement was written.

The compiler copies a short exit to each way that comes to it: of `return f(x if a else y)` each arm calls and returns.
Two arms are such copies if they go on alike, what they do has one line or none, and all of it is the same but for one
expression, before which nothing is evaluated that was not on the stack already.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.copies import LONGEST_COPY
from unjit.decompiler.ir.flow.exits import ends_frame
from unjit.decompiler.ir.flow.graph import Block, Jump
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.nodes import ATOMS, Accumulate, Inlined, MakeFunction, Temp
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.order import Place, parts_in_order, put, temps_in
from unjit.decompiler.passes.conditions.parts.operated_choices import is_on_constants

_WHOLE = ATOMS | {Inlined, MakeFunction}  # no part of these can differ alone
_FILLED_AT_ONCE = (["LOAD_CONST", "LIST_EXTEND"], ["LOAD_CONST", "SET_UPDATE"])  # of three constants or more
_FILLS = frozenset({"LIST_EXTEND", "LIST_APPEND", "SET_UPDATE", "SET_ADD", "DICT_UPDATE", "MAP_ADD"})


class Difference(NamedTuple):
    """Where an expression stands in each arm, what it is part of there, and the two expressions."""

    places: tuple[Place, Place]
    holders: tuple[ast.AST, ast.AST]
    values: tuple[ast.expr, ast.expr]
    is_after_shared: bool  # whether both arms take another value from the stack before it

    def put(self, value: ast.expr, other: ast.expr) -> None:
        for place, new in zip(self.places, (value, other), strict=True):
            put(place, new)


def one_difference(block: Block, other: Block) -> Difference | None:
    """The only expression in which the first statement of `block` differs from that of `other`; None if more do."""
    if not _may_be_copies(block, other):
        return None
    lines = {i.offset: i.line for i in (*block.instrs, *other.instrs)}
    is_certain = _fill_one_display(block, other)
    for found in sorted(_differing(block.statements[0], other.statements[0]), key=_is_used_alike):
        if any(map(_is_no_value, found.values)):
            continue  # which no choice can be; what it is part of may be one
        if not is_certain and min(map(_done_after, (block, other), found.values)) > LONGEST_COPY:
            continue  # no copy is as long
        found.put(ast.Constant(None), ast.Constant(None))
        alike = all(map(same_expression, block.statements, other.statements))
        found.put(*found.values)
        is_one = _is_one(block) or _is_one(other)
        if alike and (is_certain or _on_one_line(found, lines, is_one=is_one)):
            return found  # else what it stands in: `x.y` and `z.y` on two lines are chosen as a whole
    return None


def _is_no_value(value: ast.expr) -> bool:
    """Whether it is a target, or what only a display, call or subscript can have."""
    return isinstance(value, ast.Starred | ast.Slice) or isinstance(getattr(value, "ctx", None), ast.Store | ast.Del)


def _is_used_alike(found: Difference) -> bool:
    """Whether both values are the owner of an attribute, a container, or a function that is called.

    Such differences come last: people write `x.a if c else y.a` more often than `(x if c else y).a`, and the code does
    not tell which of them it was. Not so where one of them lies on the stack, as in `(a < b < c).x`: then it is chosen;
    and not where both are constants, which the compiler would have taken the item from.
    """
    if any(isinstance(value, Temp) for value in found.values):
        return False
    _, node, field, _ = found.places[0]
    if isinstance(node, ast.expr) and is_on_constants(node):
        return False
    return field in {"value", "func"} and isinstance(node, ast.Attribute | ast.Subscript | ast.Call)


def _done_after(block: Block, value: ast.expr) -> int:
    """How many instructions there are from the value to the end of the frame; 0 if it is not known where it stands."""
    at, onward = _computed_at(value), _goes_to(block)
    if at is None:
        return 0
    shared = onward.instrs if onward is not None and ends_frame(onward) else []
    after = _after(at, block.instrs)
    if isinstance(value, ast.List | ast.Set) and [instr.op for instr in after[:2]] in _FILLED_AT_ONCE:
        after = after[2:]
    if isinstance(value, ast.List | ast.Set | ast.Dict) and after and after[0].op in _FILLS:
        after = after[1:]
    return len(after) + len(shared)


def _computed_at(value: ast.expr) -> int | None:
    """Where the last part of a value stands; a choice itself stands where its first test does.

    A display that is filled after its making stands where that began.
    """
    if isinstance(value, ast.List | ast.Set | ast.Dict):
        found = (offset_of(part) for part in ast.walk(value) if isinstance(part, ast.expr))
        return max((at for at in found if at is not None), default=None)
    if not isinstance(value, ast.BoolOp | ast.IfExp):
        return offset_of(value)
    parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
    return max((at for at in map(_computed_at, parts) if at is not None), default=None)


def _after(at: int, instrs: list[Instr]) -> list[Instr]:
    """What is done after the instruction at an offset, up to an end of the frame: other copies may stand after that.

    The instruction itself may be in none of the block's: a part of the value may have had a block of its own.
    """
    after = sorted((instr for instr in instrs if instr.offset > at), key=lambda instr: instr.offset)
    end = next((k for k, instr in enumerate(after, 1) if instr.op in v.TERMINATORS), len(after))
    return after[:end]


def _on_one_line(found: Difference, lines: dict[int, int | None], *, is_one: bool) -> bool:
    """Whether both arms have the difference on one line, and something tells that they are copies of one statement.

    That is a value from the stack, which none is from one statement to another: one that both take before the
    difference, or one of the two themselves. With a line, it may also be that the statement could not have been written
    twice (`is_one`), or an operation on constants, which the compiler does itself where it is written so.
    """
    line, also = (lines.get(offset_of(holder) or -1) for holder in found.holders)
    was_on_stack = found.is_after_shared or any(isinstance(value, Temp) for value in found.values)
    is_one = is_one or any(map(is_on_constants, (*found.holders, *found.values)))
    return line == also and (was_on_stack or (is_one and line is not None))


def _is_one(block: Block) -> bool:
    """Whether the statement cannot have been written in each arm: only exits, on the line of a cleanup, may be.

    An assignment is none of these, nor is what returns a value that was computed before a cleanup.
    """
    first, last = block.statements[0], block.statements[-1]
    if not isinstance(last, ast.Return | ast.Raise) or isinstance(first, ast.Assign):
        return True
    hands_on = isinstance(last, ast.Return) and isinstance(last.value, Temp) and len(block.statements) > 1
    return hands_on or _loads_apart(block)


def _loads_apart(block: Block) -> bool:
    """Whether the constant that is returned was loaded for a return elsewhere: here, both would be one instruction.

    Before versions that have such an instruction: whether it was loaded before the end of a `try` or a loop, as no
    constant is that is written as one.
    """
    returned = block.statements[-1]
    if not isinstance(returned, ast.Return) or not isinstance(returned.value, ast.Constant):
        return False
    ending = [instr.op for instr in block.instrs[-2:]]
    if v.FUSES_RETURNS and ending == ["LOAD_CONST", "RETURN_VALUE"]:
        return True
    is_written_as_one = not isinstance(returned.value.value, tuple)
    return is_written_as_one and ending in (["RETURN_VALUE"], ["POP_TOP", "RETURN_VALUE"])


def join(block: Block, other: Block, found: Difference, value: ast.expr) -> list[ast.stmt]:
    """The statements of `block`, with `value` in the place where the two differ; those of `other` are done with."""
    found.put(value, ast.Constant(None))
    for temp in temps_in(*other.statements):
        temp.uses -= 1
    return block.statements


def _may_be_copies(block: Block, other: Block) -> bool:
    if not block.statements or len(block.statements) != len(other.statements):
        return False
    if block.region != other.region:
        return False
    if block.last_line != other.last_line and not _fill_one_display(block, other):
        return False
    if block.leaves_handler is not other.leaves_handler:
        return False
    return (ends_frame(block) and ends_frame(other)) or _goes_to(block) is _goes_to(other) is not None


def _fill_one_display(block: Block, other: Block) -> bool:
    """Whether both add to one display that lies on the stack, as no two statements do.

    On 3.10 what ends a call of many keywords has no line, so that each way to it gets a copy, however long.
    """
    first, second = block.statements[0], other.statements[0]
    if not (isinstance(first, Accumulate) and isinstance(second, Accumulate)):
        return False
    return isinstance(first.container, Temp) and first.container is second.container


def _goes_to(block: Block) -> Block | None:
    jump = block.terminator
    return jump.edge.target if isinstance(jump, Jump) and not jump.edge.args else None


def _differing(one: ast.AST, other: ast.AST) -> list[Difference]:
    """The first places in order of evaluation at which the two differ, each within the one after it."""
    found: list[Difference] = []
    holders, shared = (one, other), type(one) is Accumulate  # into a display that lies on the stack
    while type(one) is type(other) and type(one) not in _WHOLE:
        both = [pair for pair in zip(parts_in_order(one), parts_in_order(other), strict=False) if not _are_keys(*pair)]
        k = next((k for k, pair in enumerate(both) if not _on_the_stack(pair[0][0], pair[1][0])), None)
        if k is None:
            break
        shared = shared or k > 0
        part, also = both[k][0][0], both[k][1][0]
        if isinstance(part, ast.expr) and isinstance(also, ast.expr):
            found.append(Difference(both[k], holders, (part, also), shared))
            if type(part) is not ast.Slice and offset_of(part) is not None:  # else it belongs to what uses it
                holders = (part, also)
        one, other = part, also
    return found[::-1]


def _are_keys(place: Place, also: Place) -> bool:
    """Whether both are the same key of a dict whose keys come with the operation that makes it, all at once."""
    key, other = place[0], also[0]
    if not (place[2] == also[2] == "keys" and isinstance(key, ast.Constant) and isinstance(other, ast.Constant)):
        return False
    return offset_of(key) is offset_of(other) is None and same_expression(key, other)


def _on_the_stack(part: ast.AST, also: ast.AST) -> bool:
    """Whether the part lay on the stack before the arms parted: both have the same."""
    for kind in (ast.keyword, ast.Starred):
        if isinstance(part, kind) and isinstance(also, kind):
            return _on_the_stack(part.value, also.value)
    if isinstance(part, Temp):
        return part is also
    taken = isinstance(part, ast.Name | ast.Constant) and offset_of(part) is not None
    return taken and offset_of(part) == offset_of(also)
