"""From which instruction to which each block goes, and where control goes on from its last one.

A block begins where control comes from elsewhere, where the handler changes and after what leaves a handler. What the
machine does in one step, such as a whole `await` or an inlined comprehension, is one instruction here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from unjit.bytecode import Instr, Places
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.lift.shapes.awaits import find_async_next, fused_sends
from unjit.decompiler.lift.shapes.inlined_comprehensions import find_inlined

JUMPING = v.JUMPS - {"SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH", "SEND"}
_ENDING = JUMPING | v.TERMINATORS
_BEFORE_LEADERS = _ENDING | {"POP_EXCEPT"}


class Extents:
    """Of one code object's instructions; `shortened` are the offsets of jumps as `shortened_tests` finds them."""

    def __init__(
        self,
        instrs: tuple[Instr, ...],
        places: Places,
        *,
        may_be_protected: bool,
        shortened: frozenset[int] = frozenset(),
    ) -> None:
        self.instrs, self.places, self.shortened = instrs, places, shortened
        self.operations = places.keys()
        protected = instrs if may_be_protected else ()
        self.handlers = {instr.handler.target for instr in protected if instr.handler is not None}
        self.inlined = find_inlined(instrs) if "SWAP" in self.operations else {}
        sends = fused_sends(instrs) if "SEND" in self.operations else {}
        self.skip = {**sends, **{start: inlined.after for start, inlined in self.inlined.items()}}
        self.async_next = find_async_next(instrs, self.skip) if "GET_ANEXT" in self.operations else {}
        within = {k for start, end in sends.items() for k in range(start + 1, end)}
        within.update(*((*inlined.indices[1:], *inlined.skipped) for inlined in self.inlined.values()))
        self.leaders = self._find_leaders(within)
        self._lasts = {} if self.skip or self.async_next else self._before_next_leaders()

    def _find_leaders(self, within: set[int]) -> set[int]:
        """`within` are instructions that are part of another."""
        instrs, skip = self.instrs, self.skip
        leaders = {0}.union(*self.async_next.values())
        before = [k for op in _BEFORE_LEADERS & self.operations for k in self.places[op]]
        for index in before if not within else [k for k in before if k not in within]:
            instr = instrs[index]
            if instr.target is not None and instr.op in JUMPING:
                leaders.add(instr.target)
            if index not in skip:
                leaders.add(index + 1)
        return leaders.union(self._divided_by_handlers(within)) if self.handlers else leaders

    def _divided_by_handlers(self, within: set[int]) -> Iterator[int]:
        """Where handlers begin, and where the handler changes."""
        instrs, skip = self.instrs, self.skip
        for index, instr in enumerate(instrs):
            if index in within:
                continue
            handler, following = instr.handler, skip.get(index, index + 1)
            if handler is not None:
                yield handler.target
            if following < len(instrs) and instrs[following].handler != handler:
                yield following

    @functools.cached_property
    def first_protected(self) -> dict[int, int]:
        """The first instruction that each handler protects."""
        first: dict[int, int] = {}
        for index, instr in enumerate(self.instrs):
            if instr.handler is not None:
                first.setdefault(instr.handler.target, index)
        return first

    @functools.cached_property
    def first_jump_to(self) -> dict[int, int]:
        """The first instruction that jumps to each that is jumped to."""
        first: dict[int, int] = {}
        for index, instr in enumerate(self.instrs):
            if instr.target is not None and instr.op in JUMPING:
                first.setdefault(instr.target, index)
        return first

    @functools.cached_property
    def handler_around(self) -> list[int | None]:
        """The innermost handler that each instruction stands in, told by where that begins; from 3.11 on.

        A handler ends where an exception in it goes on to.
        """
        around: list[int | None] = []
        open_: list[int] = []
        for index, instr in enumerate(self.instrs):
            if instr.op == "PUSH_EXC_INFO":
                open_.append(index)
            elif instr.op == "COPY" and open_ and self._operations_after(index) == ["POP_EXCEPT", "RERAISE"]:
                open_.pop()
            around.append(open_[-1] if open_ else None)
        return around

    def _operations_after(self, index: int) -> list[str]:
        return [instr.op for instr in self.instrs[index + 1 : index + 3]]

    def _before_next_leaders(self) -> dict[int, int]:
        """What ends a block stands before a leader, so that the last instruction is always the one before the next."""
        order = sorted(self.leaders)
        return {leader: after - 1 for leader, after in zip(order, [*order[1:], len(self.instrs)], strict=True)}

    def next(self, index: int) -> int:
        return self.skip.get(index, index + 1)

    def last_of(self, index: int) -> int:
        """The index of the last instruction of the block that starts at `index`."""
        last = self._lasts.get(index)
        if last is None:
            last = index
            while last not in self.async_next and not self._ends_block(last):
                following = self.next(last)
                if following in self.leaders:
                    break
                last = following
            self._lasts[index] = last
        return last

    def indices(self, index: int, last: int) -> Sequence[int]:
        """Of the instructions of a block, what is part of another left out."""
        if not self.skip:
            return range(index, last + 1)
        indices = [index]
        while indices[-1] != last:
            indices.append(self.next(indices[-1]))
        return indices

    def _ends_block(self, index: int) -> bool:
        return self.instrs[index].op in _ENDING and index not in self.skip

    def following(self, index: int) -> list[int]:
        """Leaders that the block starting at `index` can go to, the one laid out next first."""
        last = self.last_of(index)
        if last in self.async_next:
            return [*self.async_next[last]]
        instr = self.instrs[last]
        following = []
        if instr.op not in v.TERMINATORS and instr.op not in v.UNCONDITIONAL_JUMPS:
            if self.next(last) >= len(self.instrs):
                raise CannotExpress("control runs past the end of the code")
            following.append(self.next(last))
        if instr.target is not None and last not in self.skip and instr.op in JUMPING:
            following.append(instr.target)
        return following
