"""Two programs as pieces of straight-line code, each run by itself on both sides (see `straight`).

As long as control divides nowhere, nothing has to be told apart and no paths meet. Where it divides, both sides must
be about to do the same, and what they do next is either in step, or begins with such pieces again. Of a loop over an
iterator the body is followed once, from a state in which nothing is known of what the loop stores; it must come back to
the loop with everything else as it was. (On 3.15, where an iterator takes two entries of the stack, loops are not
followed.) What is more than that is for the walk (see `bisimulate`), which says the same of these programs at many
times the cost.
"""

from __future__ import annotations

from types import CodeType

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.bookkeeping import comparable_instrs
from unjit.verifier.introspection import INTROSPECTION
from unjit.verifier.machine.machine import Machine
from unjit.verifier.machine.micro import Act
from unjit.verifier.machine.program import Binder, Program, Slots, Step, entry_of, slot_of
from unjit.verifier.machine.values import BOOL, NULLABLE, Values
from unjit.verifier.short_cuts.in_step import InStep, asked
from unjit.verifier.short_cuts.straight import END, Event, Run, Side, Unclear

MOST_FORKS = 12  # where control divides and the two are not in step from there on
_STORES = frozenset({"STORE_FAST", "STORE_DEREF"})
_UNBINDS = frozenset({"DELETE_FAST", "DELETE_DEREF"})
Pair = tuple[Side, Side]


class Strands:
    """One comparison."""

    def __init__(self, in_step: InStep) -> None:
        self.in_step = in_step
        self.values = Values()
        self.loops: dict[tuple[int, int], tuple[Pair, set[int]]] = {}  # the state at each, and what it knows nothing of

    def same(self, original: CodeType, candidate: CodeType) -> bool:
        """Raises BytecodeError where the bytes are not bytecode."""
        slots = Slots()
        left = self._side(original, slots, None)
        right = self._side(candidate, slots, left.named)
        self._name_code_alike(original, candidate, right)
        work, forks = [(left, right)], 0
        try:
            while work:
                pair = work.pop()
                if self._run(*pair) or self._in_step(original, candidate, *pair):
                    continue
                forks += 1
                if forks > MOST_FORKS:
                    return False
                work += self._onward(*pair)
        except (Unclear, IndexError):  # the latter: an instruction finds too little on the stack
            return False
        return True

    def _side(self, code: CodeType, slots: Slots, named: int | None) -> Side:
        binder = Binder(code, slots, self.values)
        instrs, entry = comparable_instrs(code), entry_of(code, slots, self.values)
        program = Program(code, [], list(slots.index), entry, bool(instrs) and instrs[0].op == "GEN_START")
        machine = Machine(program, self.values, {}, {}, self.values.given("handled", ""))
        return Side(instrs, binder, len(entry) if named is None else named, machine)

    def _name_code_alike(self, original: CodeType, candidate: CodeType, right: Side) -> None:
        """Code objects that may stand for each other get one number."""
        known = [const for const in original.co_consts if isinstance(const, CodeType)]
        for other in candidate.co_consts if known else ():
            if isinstance(other, CodeType):
                one = next((one for one in known if self.in_step.same_code(one, other)), None)
                if one is not None:
                    right.binder.constant_at[id(other)] = self.values.constant(one)

    def _run(self, left: Side, right: Side) -> bool:
        """Run both to where control divides, or to the end: whether it is the end. Raises Unclear if they differ."""
        noted: list[Event] = []
        Run(left, self.values, noted, notes=True).go()
        run = Run(right, self.values, noted, notes=False)
        run.go()
        if run.count != len(noted) or (left.at == END) != (right.at == END):
            raise Unclear
        return left.at == END

    def _in_step(self, original: CodeType, candidate: CodeType, left: Side, right: Side) -> bool:
        """Whether both are in the same state, and do the same from there on instruction by instruction."""
        one, other = left.machine, right.machine
        if len(other.slots) > left.named and not INTROSPECTION.isdisjoint(original.co_names):
            return False  # what the candidate alone has would be seen
        if len(one.stack) != len(other.stack) or left.view(one.stack)[0] != right.view(other.stack)[0]:
            return False
        return one.keywords == other.keywords and self.in_step.same(original, candidate, left.at, right.at)

    def _onward(self, left: Side, right: Side) -> list[Pair]:
        """Both sides on each way on from where control divides. Raises Unclear where they may differ."""
        first, second = left.instrs[left.at], right.instrs[right.at]
        if first.handler is not None or second.handler is not None:
            raise Unclear
        self._show_top(left, right)
        return self._around(left, right) if first.op == second.op == "FOR_ITER" else _ways_on(left, right)

    def _show_top(self, left: Side, right: Side) -> None:
        """Something asks about what is on top of the stack, which must be the same on both sides."""
        one, other = left.view(left.machine.stack[-1:]), right.view(right.machine.stack[-1:])
        if one[0] != other[0]:
            raise Unclear
        names = [self.values.symbol() for _ in one[1]]
        for side, (_, shown) in ((left, one), (right, other)):
            if shown:
                side.show(dict(zip(shown, names, strict=True)))
            side.before.clear()

    # ------------------------------------------------------------ loops
    def _around(self, left: Side, right: Side) -> list[Pair]:
        """Both sides with the loop's next item, and after the loop; neither where the loop was followed already."""
        known = self.loops.get((left.at, right.at))
        if known is not None:
            self._come_back(left, right, *known)
            return []
        step, other = _next_step(left), _next_step(right)
        if step.micro is not other.micro or step.micro.pops or len(step.micro.results) != 1:
            raise Unclear
        stored = self._forget_stored(left, right)
        self.loops[left.at, right.at] = (left.fork(left.at), right.fork(right.at)), stored
        inside = left.fork(left.at + 1), right.fork(right.at + 1)
        after = left.fork(_target(left)), right.fork(_target(right))
        item, exhausted = self.values.symbol(), self.values.symbol()
        for side in inside:
            side.machine.stack.append(item)
        for side in after:
            if step.micro.count:
                side.machine.stack.pop()
            else:
                side.machine.stack.append(exhausted)
        return [inside, after]

    def _forget_stored(self, left: Side, right: Side) -> set[int]:
        """Nothing is known any more of the variables that the loop may store, but that both sides have the same."""
        stored, unbound = set[int](), set[int]()
        for side in (left, right):
            inside = side.instrs[side.at : _target(side)]
            stored |= {_slot(side, instr) for instr in inside if instr.op in _STORES | _UNBINDS}
            unbound |= {_slot(side, instr) for instr in inside if instr.op in _UNBINDS}
        for slot in stored:
            held = [side.machine.slots[slot] for side in (left, right) if slot < len(side.machine.slots)]
            if not all(side.machine.displays.keys().isdisjoint(held) for side in (left, right)):
                raise Unclear  # another place may have the same display, which it would no longer be known to be
            may_be_unbound = slot in unbound or any(self.values.flags[value] & NULLABLE for value in held)
            value = self.values.symbol(NULLABLE if may_be_unbound else 0)
            for side in (left, right):
                if slot < len(side.machine.slots):
                    side.machine.slots[slot] = value
        return stored

    def _come_back(self, left: Side, right: Side, head: Pair, stored: set[int]) -> None:
        """Raises Unclear unless the state when the loop was followed covers this one."""
        flags = self.values.flags
        for side, known in zip((left, right), head, strict=True):
            now, then = side.machine, known.machine
            if now.stack != then.stack or now.displays != then.displays or now.keywords != then.keywords:
                raise Unclear
            for slot, (value, general) in enumerate(zip(now.slots, then.slots, strict=True)):
                may_differ = slot in stored and value not in now.displays
                if value != general and not (may_differ and not flags[value] & NULLABLE & ~flags[general]):
                    raise Unclear
        if left.machine.slots != right.machine.slots[: left.named]:
            raise Unclear


def _next_step(side: Side) -> Step:
    """The one step of the loop that the side has come to. Raises Unclear where it is not one that is modelled."""
    step, *rest = side.binder.bind(side.instrs[side.at], side.instrs)
    if rest or step.act is not Act.NEXT:
        raise Unclear
    return step


def _slot(side: Side, instr: Instr) -> int:
    return side.binder.slots.of(slot_of(side.binder.own, instr))


def _target(side: Side) -> int:
    target = side.instrs[side.at].target
    if target is None:
        raise Unclear
    return target


def _are_opposite(values: Values, tested: list[int]) -> bool:
    """Whether tests for True and for False are each other's opposite: from 3.13 on they ask nobody for a truth."""
    return not v.PY313 or all(values.flags[value] & BOOL for value in tested)


def _ways_on(left: Side, right: Side) -> list[Pair]:
    """Both sides on each way out of the test that they have come to. Raises Unclear where it is none, or another."""
    first, second = asked(left.instrs, left.at), asked(right.instrs, right.at)
    if first is None or second is None or first.asks != second.asks:
        raise Unclear
    tested = [side.machine.stack.pop() for side in (left, right)]
    if first.asks == "truth" and first.jumps_if != second.jumps_if and not _are_opposite(left.machine.values, tested):
        raise Unclear
    ways = (second.target, second.after) if first.jumps_if == second.jumps_if else (second.after, second.target)
    return [(left.fork(at), right.fork(there)) for at, there in zip((first.target, first.after), ways, strict=True)]
