"""What a machine is about to do, in words."""

from __future__ import annotations

from unjit.verifier.machine.displays import Display
from unjit.verifier.machine.machine import Machine
from unjit.verifier.machine.outcomes import FOREVER, LEFT_BY_EXCEPTION, UNBOUND

_WORDS = {
    "getattr": "look up the attribute",
    "setattr": "set the attribute",
    "load_global": "look up the global",
    "truth": "test the truth of a value",
    "next": "take the next item",
    "compare": "compare by",
    UNBOUND: "fail on the unbound local",
    "exit": "call __exit__ with the exception",
    "enter": "enter a context",
}


def describe(machine: Machine) -> str:
    if machine.key in (LEFT_BY_EXCEPTION, FOREVER):
        return str(machine.key[0])
    name, *more = machine.key
    word = _WORDS.get(str(name), str(name).replace("_", " "))
    detail = " ".join(str(part) for part in more if part not in (0, None))
    line = f" ({machine.step.instr.op} at {machine.step.instr.offset})"
    return f"{word} {detail}".rstrip() + line


def operand_word(place: int) -> str:
    return f"the values at place {place}"


def in_words(display: Display) -> str:
    count = len(display.parts)
    return f"a new {display.kind} of {count} part{'s' * (count != 1)}"
