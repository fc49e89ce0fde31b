"""Whether two code objects are the same instructions, without dead code, jumps to what follows and the like.

The normal form of a code object lists its effective instructions with arguments and targets that do not depend on where
things lie. Equal normal forms are IDENTICAL.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.bytecode.constants.constant_key import constant_key
from unjit.verifier.bookkeeping import comparable_instrs
from unjit.verifier.header import header_difference
from unjit.verifier.machine.program import count_own, slot_of

# Instructions that neither do anything nor move control.
NO_EFFECT = frozenset({"NOP", "NOT_TAKEN", "CACHE", "EXTENDED_ARG"})

Normal = list[tuple[object, ...]]


class Identities:
    """Compares code objects by their normal forms, each of which is made once."""

    def __init__(self) -> None:
        self._normal: dict[int, Normal] = {}
        self._effective: dict[int, Effective] = {}

    def same(self, one: CodeType, other: CodeType) -> bool:
        """Whether both have the same instructions. Raises BytecodeError where the bytes are not bytecode."""
        return self._same_bytes(one, other) or self._same_instructions(one, other)

    def _same_bytes(self, one: CodeType, other: CodeType) -> bool:
        return (
            one.co_code == other.co_code
            and getattr(one, "co_exceptiontable", None) == getattr(other, "co_exceptiontable", None)
            and one.co_names == other.co_names
            and one.co_varnames == other.co_varnames
            and len(one.co_consts) == len(other.co_consts)
            and all(map(self._same_constant, one.co_consts, other.co_consts))
        )

    def _same_constant(self, one: object, other: object) -> bool:
        if isinstance(one, CodeType) and isinstance(other, CodeType):
            return header_difference(one, other, nested=True) is None and self.same(one, other)
        return constant_key(one) == constant_key(other)

    def _same_instructions(self, one: CodeType, other: CodeType) -> bool:
        if _begin_differently(comparable_instrs(one), comparable_instrs(other)):
            return False
        first, second = self.effective_of(one), self.effective_of(other)
        return first.operations == second.operations and self._form(one) == self._form(other)

    def effective_of(self, code: CodeType) -> Effective:
        """The effective instructions of the code. Raises BytecodeError where the bytes are not bytecode."""
        effective = self._effective.get(id(code))
        if effective is None:
            effective = self._effective[id(code)] = Effective.of(comparable_instrs(code))
        return effective

    def _form(self, code: CodeType) -> Normal:
        form = self._normal.get(id(code))
        if form is None:
            form = self._normal[id(code)] = self._normalise(self.effective_of(code), count_own(code))
        return form

    def _normalise(self, effective: Effective, own: int) -> Normal:
        place, form = effective.places(), Normal()
        for i in effective.instrs:
            handler = i.handler and (place[i.handler.target], i.handler.depth, i.handler.lasti)
            form.append((i.op, self.argument(i, own), i.target is not None and place[i.target], handler))
        return form

    def argument(self, i: Instr, own: int) -> object:
        """What an instruction's argument means, in code with `own` slots that are no free variables; None for jumps."""
        if i.target is not None:
            return None
        if i.op in v.CONST_OPS:
            code = isinstance(i.value, CodeType)
            return _Nested(self, i.value) if code else constant_key(i.value)  # type: ignore[arg-type]
        if i.op in v.NAME_OPS:
            return i.value, i.arg & ((1 << v.NAME_FLAG_BITS.get(i.op, 0)) - 1)
        if i.op in v.LOCAL_OPS or i.op in v.CELL_OPS:
            return slot_of(own, i)
        return i.arg


class _Nested:
    """A nested code object in a normal form: equal to one that has the same header and normal form."""

    __slots__ = ("code", "identities")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, identities: Identities, code: CodeType) -> None:
        self.identities, self.code = identities, code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Nested) and self.identities._same_constant(self.code, other.code)


@dataclass
class Effective:
    """The instructions of a code object that have an effect: not dead ones, NOPs, and jumps to what follows anyway."""

    numbers: list[int]  # their indices among all instructions
    instrs: list[Instr]
    count: int  # of all instructions

    @staticmethod
    def of(instrs: tuple[Instr, ...]) -> Effective:
        skipped = _skipped(instrs) if v.SKIPPED_AFTER_LOOPS else ()
        numbers = [n for n in _reachable(instrs) if instrs[n].op not in NO_EFFECT or n in skipped]
        place = _places(numbers, len(instrs))
        numbers = [n for n in numbers if not _goes_to_next(instrs[n], n, place) or n in skipped]
        return Effective(numbers, [instrs[n] for n in numbers], len(instrs))

    @property
    def operations(self) -> list[str]:
        return [instr.op for instr in self.instrs]

    def places(self) -> list[int]:
        return _places(self.numbers, self.count)


def _begin_differently(one: tuple[Instr, ...], other: tuple[Instr, ...]) -> bool:
    """Whether they differ in an operation before either of them first stops or jumps: a quick no."""
    ones, others = (itertools.filterfalse(_does_nothing, instrs) for instrs in (one, other))
    for first, second in zip(ones, others, strict=False):
        if first.op in v.NO_FALLTHROUGH or second.op in v.NO_FALLTHROUGH:
            return False
        if first.op != second.op:
            return True
    return False


def _does_nothing(i: Instr) -> bool:
    return i.op in NO_EFFECT


def _reachable(instrs: tuple[Instr, ...]) -> list[int]:
    """The indices of the instructions that control can come to, in order."""
    found, work = [False] * (len(instrs) + 1), [0]
    found[-1] = True
    while work:
        n = work.pop()
        while not found[n]:
            found[n] = True
            i = instrs[n]
            if i.target is not None:
                work.append(i.target)
            if i.handler is not None:
                work.append(i.handler.target)
            if i.op in v.NO_FALLTHROUGH:
                break
            n += 1
    return [n for n, is_found in enumerate(found[:-1]) if is_found]


def _skipped(instrs: tuple[Instr, ...]) -> set[int]:
    """Those that an exhausted loop skips: among these even one without effect counts."""
    targets = [i.target for i in instrs if i.op == "FOR_ITER" and i.target is not None]
    return {target + n for target in targets for n in range(len(v.SKIPPED_AFTER_LOOPS))}


def _places(numbers: list[int], count: int) -> list[int]:
    """For each instruction, how many of the effective ones come before it."""
    is_kept = [0] * count
    for n in numbers:
        is_kept[n] = 1
    return list(itertools.accumulate(is_kept, initial=0))


def _goes_to_next(i: Instr, n: int, place: list[int]) -> bool:
    return i.op in v.UNCONDITIONAL_JUMPS and i.target is not None and place[i.target] == place[n] + 1
