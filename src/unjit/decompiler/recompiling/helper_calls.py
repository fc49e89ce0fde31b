"""Helper calls turned back into the instruction that each stands for.

The call's instructions are overwritten in place, by the instruction itself and NOPs, so no jump and no table entry
moves. See `ir.tree.helpers` for which call stands for what. A call with more than thirty arguments the compiler makes
with a tuple (`gathered_arguments`): of that nothing is left, so that the arguments stay on the stack. A handler within
an argument, as a comprehension has one from 3.12 on, then keeps less below what it takes care of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.bytecode.changed.handler_depths import with_less_below
from unjit.bytecode.changed.overwrite import NO_OPERATION, overwritten
from unjit.decompiler.errors import CannotCompile, CannotExpress
from unjit.decompiler.ir.tree.helpers import BUILD_MAP, CELL, ENTERED, ITERATOR, OPERATIONS, SPREAD
from unjit.decompiler.recompiling.gathered_arguments import gathered_call
from unjit.decompiler.recompiling.stack_depths import first_where

_CALLS = frozenset({"CALL", "CALL_FUNCTION"})
_SPREAD_OPERANDS = 2
_BELOW_PLAIN, _BELOW_GATHERED = 2, 3  # what a call has below its arguments: function, NULL, and the list of arguments
_WITHOUT_PREFIX, _MOST = 0xFF, 0xFFFF  # what an argument says, and what one with a prefix does
# From 3.13 on the cell is loaded like any local.
_LOADS_CELL = frozenset({"LOAD_FAST"}) if v.PY313 else frozenset({"LOAD_CLOSURE"})
# What a with statement that names nothing does with its manager.
_ENTERS: tuple[str, ...]
if v.PY314:
    _ENTERS = ("COPY", "LOAD_SPECIAL", "SWAP", "SWAP", "LOAD_SPECIAL", "CALL", "POP_TOP")
else:
    _ENTERS = ("BEFORE_WITH", "POP_TOP")


def without_helper_calls(code: CodeType, helpers: Mapping[str, str]) -> CodeType:
    """The code with every helper call replaced, nested code included; `helpers` maps names in it to helpers.

    Raises CannotExpress for a call that fits none.
    """
    consts = tuple(without_helper_calls(c, helpers) if isinstance(c, CodeType) else c for c in code.co_consts)
    code = code.replace(co_consts=consts)
    if not set(code.co_names) & helpers.keys():
        return code
    instrs = decode(code)
    new: dict[int, tuple[str, int]] = {}
    less: Counter[int] = Counter()
    deepest = code.co_stacksize
    for index, instr in enumerate(instrs):
        if instr.op in v.GLOBAL_LOADS and instr.value in helpers:
            name = helpers[str(instr.value)]
            try:
                left = _leave_on_stack(new, less, instrs, index, name)
                if not left:
                    call = _replace(new, instrs, index, name)
                    _keep_less(less, instrs, range(index, call), _BELOW_PLAIN)
            except CannotExpress as refusal:
                raise CannotCompile(str(refusal), code.co_firstlineno) from None
            deepest += left
    return with_less_below(overwritten(code.replace(co_stacksize=deepest), new), less)


def _keep_less(less: Counter[int], instrs: tuple[Instr, ...], within: range, count: int) -> None:
    """Have the handlers that begin to watch within these instructions keep so many values less below."""
    around = instrs[within.start].handler
    targets = {handler.target for k in within if (handler := instrs[k].handler)}
    for target in targets - {around.target if around else None}:
        less[instrs[target].offset] += count


def _replace(new: dict[int, tuple[str, int]], instrs: tuple[Instr, ...], index: int, name: str) -> int:
    """Replace the call of what is loaded at `index`: the index of the call."""
    call = _call_of(instrs, index)
    if name == CELL:
        for k in _all_but_cell(instrs, index, call):
            new[instrs[k].offset] = NO_OPERATION
        return call
    new[instrs[index].offset] = NO_OPERATION
    _replace_call(new, instrs, call, NO_OPERATION)
    if name == SPREAD:
        outer = _call_from(instrs, call + 1 + (instrs[call + 1].op == "PUSH_NULL"))
        if not outer or instrs[outer].arg != _SPREAD_OPERANDS:
            raise CannotExpress(f"what {SPREAD} gives is not called with a tuple and a dict")
        _replace_call(new, instrs, outer, ("CALL_FUNCTION_EX", 1))
    elif name == ITERATOR:
        if instrs[call + 1].op != "GET_ITER":
            raise CannotExpress(f"{ITERATOR} is called outside a for loop's head")
        new[instrs[call + 1].offset] = ("PUSH_NULL", 0) if v.SLOTS_OF_ITERATOR > 1 else NO_OPERATION
    elif name == ENTERED:
        _leave_out_entering(new, instrs, call)
    else:
        new[instrs[call].offset] = _operation(name, instrs[call].arg)
    return call


def _operation(name: str, given: int) -> tuple[str, int]:
    """The operation of so many operands that a helper stands for, and its argument."""
    operation, arg, operands = OPERATIONS[name]
    if operands not in (None, given):
        raise CannotExpress(f"{name} takes {operands} operands, not {given}")
    if name == BUILD_MAP:
        if given % 2:
            raise CannotExpress(f"{name} takes a value for each key")
        return operation, given // 2
    return operation, given if arg is None else arg


def _leave_on_stack(
    new: dict[int, tuple[str, int]], less: Counter[int], instrs: tuple[Instr, ...], index: int, name: str
) -> int:
    """Have the operation take off the stack what is gathered for a call, if it is: how many values that are, or 0."""
    gathered = gathered_call(instrs, index + 1) if name in OPERATIONS else None
    if gathered is None:
        return 0
    operation, arg = _operation(name, gathered.count)
    if arg > _MOST:
        raise CannotExpress(f"{name} has more than {_MOST} operands")
    for arguments, (start, end) in enumerate(pairwise(gathered.gathering)):
        _keep_less(less, instrs, range(start, end), _BELOW_GATHERED - arguments)
    for k in (index, *gathered.gathering):
        new[instrs[k].offset] = NO_OPERATION
    if arg > _WITHOUT_PREFIX:  # the prefix is where the tuple was made
        new[instrs[gathered.call - 1].offset] = ("EXTENDED_ARG", arg >> 8)
    new[instrs[gathered.call].offset] = (operation, arg & _WITHOUT_PREFIX)
    return gathered.count


def _leave_out_entering(new: dict[int, tuple[str, int]], instrs: tuple[Instr, ...], call: int) -> None:
    """Have the with statement after the call find its exit function on the stack, where the call's argument is."""
    entering = instrs[call + 1 : call + 1 + len(_ENTERS)]
    if tuple(instr.op for instr in entering) != _ENTERS:
        raise CannotExpress(f"{ENTERED} is called elsewhere than for a with statement that names nothing")
    for instr in entering:
        new[instr.offset] = NO_OPERATION
    if v.PY314:  # from then on the exit function has a second place on the stack, for its `self`
        new[entering[0].offset] = ("PUSH_NULL", 0)


def _replace_call(new: dict[int, tuple[str, int]], instrs: tuple[Instr, ...], call: int, by: tuple[str, int]) -> None:
    """Put `by` in place of the call and of what announces it."""
    new[instrs[call].offset] = by
    if instrs[call - 1].op == "PRECALL":
        new[instrs[call - 1].offset] = NO_OPERATION


def _call_of(instrs: tuple[Instr, ...], index: int) -> int:
    """The index of the call that takes the function loaded at `index`."""
    call = _call_from(instrs, index + 1)
    if call:
        return call
    raise CannotExpress(f"{instrs[index].value} is used for something else than a plain call")


def _call_from(instrs: tuple[Instr, ...], start: int) -> int:
    """The index of the call that takes all that is put on the stack from `start` on; 0 if there is none."""
    return first_where(instrs, start, lambda instr, depth: instr.op in _CALLS and instr.arg == depth)


def _all_but_cell(instrs: tuple[Instr, ...], index: int, call: int) -> list[int]:
    """All of `cell_of(lambda: x)` but the load of the cell."""
    kept = [k for k in range(index + 1, call) if instrs[k].op in _LOADS_CELL]
    if len(kept) != 1:
        raise CannotExpress(f"{CELL} is called with something else than a variable of this function")
    return [k for k in range(index, call + 1) if k not in kept]
