"""The verifier's tables against CPython's own account of what each instruction does to the stack."""

from __future__ import annotations

import dis

import pytest

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.operations import EXCEPTIONS_ARE_TRIPLES, OPERATIONS

EXCEPTION = 3 if EXCEPTIONS_ARE_TRIPLES else 1
EFFECTS = {
    Act.PUSH: 1, Act.PUSH_OWN: 1, Act.PUSH_NULL: 1, Act.COPY: 1, Act.LOAD: 1, Act.LOAD_BOUND: 1, Act.SPLIT_METHOD: 1,
    Act.POP: -1, Act.STORE: -1, Act.IS: -1, Act.BRANCH: -1, Act.HANDLE: 1, Act.UNHANDLE: -EXCEPTION,
    Act.RERAISE: -EXCEPTION, Act.SWAP: 0, Act.SINK: 0, Act.NOT: 0, Act.JUMP: 0, Act.KEYWORDS: 0,
    Act.REQUIRE_BOUND: 0, Act.RERAISE_CURRENT: 0,
}  # fmt: skip
# What no frame ever runs: prefixes, caches, what the compiler or the interpreter keeps for itself.
NEVER_IN_CODE = {
    "EXTENDED_ARG", "INTERPRETER_EXIT", "RESERVED", "ENTER_EXECUTOR", "EXIT_INIT_CHECK", "TRACE_RECORD",
}  # fmt: skip
# What decoding gives another name.
RENAMED = {*v.SAME_AS, "LOAD_SMALL_INT"}
# Where `dis` counts otherwise than the interpreter does.
SENT_VALUE = {"RETURN_GENERATOR"} if v.PYTHON < (3, 13) else set()  # not counted as pushed, though the next pops it
RETURNED_VALUE = {"RETURN_VALUE"} if v.PYTHON >= (3, 14) else set()  # counted as pushed: it is, by the caller's frame
SPLIT_CALL = {"PRECALL", "CALL"} if "PRECALL" in dis.opmap else set()  # the first pops the arguments, in `dis`
ENTERS_HANDLER = {"SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH"}  # the jump of `dis` is an exception


def real_operations():
    return sorted(
        name
        for name, code in dis.opmap.items()
        if code < 256
        and name not in v.SUPERINSTRUCTIONS
        and name not in NEVER_IN_CODE | RENAMED
        and not name.startswith("INSTRUMENTED_")
    )


def instr(name: str, arg: int) -> Instr:
    return Instr(name, arg, ("a",) * arg if name in v.CONST_OPS else "name", 0, None, 0 if name in v.JUMPS else None)


def arguments(name: str):
    if dis.opmap[name] < v.HAVE_ARGUMENT:
        return [0]
    if name in ("RAISE_VARARGS", "BUILD_SLICE"):
        return [2, 3] if name == "BUILD_SLICE" else [0, 1, 2]
    if name in ("CALL_FUNCTION_EX", "IS_OP", "CONTAINS_OP"):
        return [0, 1]
    if name in ("COPY", "SWAP", "ROT_N"):
        return range(1, 9)
    return [*range(32), 255, 256, 257, 513]


def effect(micros: tuple[Micro, ...], jump: bool) -> int:
    """Net entries pushed, on the way that ends in the instruction's jump or the one that does not."""
    depth, at = 0, 0
    while at < len(micros):
        micro = micros[at]
        depth += effect_of(micro, jump)
        if micro.act in (Act.BRANCH, Act.JUMP):
            if micro.skip:
                at += micro.skip  # the other way raises
                continue
            if jump:
                return depth
        at += 1
    return depth


def effect_of(micro: Micro, jump: bool) -> int:
    if micro.act in EFFECTS:
        return EFFECTS[micro.act]
    change = len(micro.results) - micro.pops
    if micro.act is Act.NEXT and jump:
        return -micro.count if micro.count else 1
    if micro.act is Act.SEND and jump:
        return change - micro.count
    return change


@pytest.mark.parametrize("name", real_operations())
def test_every_operation_is_listed(name):
    assert name in OPERATIONS


def test_nothing_else_is_listed():
    assert set(OPERATIONS) <= {*dis.opmap, "CACHE"}


@pytest.mark.parametrize("name", sorted(set(real_operations()) - SENT_VALUE - SPLIT_CALL - RETURNED_VALUE))
def test_stack_effect(name):
    code = dis.opmap[name]
    for arg in arguments(name):
        micros = OPERATIONS[name](instr(name, arg))
        for jump in (False, True):
            if jump and (name not in v.JUMPS or name in ENTERS_HANDLER):
                continue
            if name in v.UNCONDITIONAL_JUMPS and not jump:
                continue
            expected = dis.stack_effect(code, arg if code >= v.HAVE_ARGUMENT else None, jump=jump)
            assert effect(micros, jump) == expected, (name, arg, jump)


@pytest.mark.skipif(not SPLIT_CALL, reason="3.11 only")
@pytest.mark.parametrize("arg", range(32))
def test_stack_effect_of_a_split_call(arg):
    mine = sum(effect(OPERATIONS[name](instr(name, arg)), False) for name in SPLIT_CALL)
    assert mine == sum(dis.stack_effect(dis.opmap[name], arg) for name in SPLIT_CALL)
