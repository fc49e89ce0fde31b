"""Decoding against `dis`, on every function of a few modules and on what the tests define."""

from __future__ import annotations

import dis
import importlib
import inspect
import opcode
import os
import subprocess
import sys
from types import CodeType

import pytest

from unjit.bytecode import BytecodeError, UnsupportedPython, decode, with_nested
from unjit.bytecode import versions as v

MODULES = ("ast", "asyncio.tasks", "contextlib", "dataclasses", "inspect", "tarfile", "typing")


def codes_of(module: str) -> list[CodeType]:
    source = inspect.getsource(__import__(module, fromlist=["x"]))
    return with_nested(compile(source, module, "exec", dont_inherit=True))


def unfused(code: CodeType):
    """What `dis` sees, without prefixes and caches: (offset, operation, argument)."""
    for i in dis.get_instructions(code):
        if i.opname not in ("EXTENDED_ARG", "CACHE"):
            yield i


# What `dis` itself goes by; the tables of ours do not rely on it.
COMMON = getattr(opcode, "_common_constants", None)


def expected_name(theirs: dis.Instruction) -> str:
    """The name under which an instruction comes: one for all that do the same."""
    if theirs.opname == "LOAD_SMALL_INT":
        return "LOAD_CONST"
    if theirs.opname == "LOAD_COMMON_CONSTANT" and not callable(COMMON[theirs.arg]):
        return "LOAD_CONST"
    name = v.SUPERINSTRUCTIONS.get(theirs.opname, (theirs.opname,))[0]
    return v.SAME_AS.get(name, name)


def same_constant(one: object, other: object) -> bool:
    return one is other or (type(one) is type(other) and one == other)


@pytest.mark.skipif(COMMON is None, reason="no such instruction before 3.14")
def test_common_constants_are_those_of_dis():
    assert len(COMMON) == len(v.COMMON_CONSTANTS)
    assert all(map(same_constant, COMMON, v.COMMON_CONSTANTS))


@pytest.mark.parametrize("module", MODULES)
def test_operations_and_jumps_are_those_of_dis(module):
    for code in codes_of(module):
        mine = decode(code)
        first = {}
        for n, i in enumerate(mine):
            first.setdefault(i.offset, n)
        for theirs in unfused(code):
            i = mine[first[theirs.offset]]
            assert i.op == expected_name(theirs)
            if i.target is not None:
                assert mine[i.target].offset == _after_prefixes(code, theirs.argval)
            elif theirs.opname in ("LOAD_COMMON_CONSTANT", "LOAD_SMALL_INT"):
                assert same_constant(i.value, COMMON[theirs.arg] if "COMMON" in theirs.opname else theirs.arg)
            elif i.op in v.NAME_OPS or (i.op in v.COMPARE_OPS and v.PYTHON < (3, 13)):
                assert i.value == theirs.argval
            elif i.op in v.CONST_OPS:
                assert i.value is code.co_consts[i.arg]


def _after_prefixes(code: CodeType, offset: int) -> int:
    while code.co_code[offset] == dis.EXTENDED_ARG:
        offset += 2
    return offset


@pytest.mark.parametrize("module", MODULES)
def test_lines_are_those_of_the_line_table(module):
    for code in codes_of(module):
        line_at = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
        assert all(i.line == line_at.get(i.offset) for i in decode(code))


@pytest.mark.skipif(not hasattr(dis, "_parse_exception_table"), reason="3.10 has a block stack")
@pytest.mark.parametrize("module", MODULES)
def test_handlers_are_those_of_the_exception_table(module):
    for code in codes_of(module):
        mine = decode(code)
        for i in mine:
            entries = [e for e in dis._parse_exception_table(code) if e.start <= i.offset < e.end]
            handler = i.handler and (mine[i.handler.target].offset, i.handler.depth, i.handler.lasti)
            expected = [(_after_prefixes(code, e.target), e.depth, e.lasti) for e in entries]
            assert ([handler] if handler else []) == expected


def test_a_handler_in_a_generator_starts_at_depth_nought():
    def generator(x):
        try:
            yield x
        except KeyError:
            yield 1

    handlers = {i.handler.depth for i in decode(generator.__code__) if i.op == "YIELD_VALUE" and i.handler}
    assert 0 in handlers
    assert min(handlers) == 0


def code_of_bytes(*units: int) -> CodeType:
    return (lambda: None).__code__.replace(co_code=bytes(units))


@pytest.mark.parametrize(
    ("units", "complaint"),
    [
        ((), "no instructions"),
        ((dis.opmap["EXTENDED_ARG"], 0), "EXTENDED_ARG"),
        ((dis.opmap["LOAD_CONST"], 200, dis.opmap["RETURN_VALUE"], 0), "outside its table"),
        ((dis.opmap["JUMP_FORWARD"], 100, dis.opmap["RETURN_VALUE"], 0), "jumps to"),
    ],
)
def test_what_is_no_bytecode_is_said(units, complaint):
    with pytest.raises(BytecodeError, match=complaint):
        decode(code_of_bytes(*units))


@pytest.mark.skipif(not v.PY311, reason="3.10 has no inline caches")
def test_nothing_is_written_after_code_that_ends_within_a_cache():
    program = """
import dis
from unjit.bytecode import BytecodeError
from unjit.bytecode import decode

def f(a):
    return a.b

start = next(i.offset for i in dis.get_instructions(f) if i.opname == "LOAD_ATTR")
cut = f.__code__.replace(co_code=f.__code__.co_code[: start + 4])
try:
    decode(cut)
except BytecodeError as error:
    print(error)
del cut  # what allocates looks then at what follows it
"""
    child = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONMALLOC": "debug"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "the code ends in the inline cache of LOAD_ATTR\n"), child.stderr


@pytest.mark.parametrize("module", MODULES)
def test_code_that_has_run_is_whole(module):
    for found in vars(importlib.import_module(module)).values():
        if inspect.isfunction(found):
            assert decode(found.__code__)


@pytest.mark.skipif(v.PY312, reason="the interpreter itself does not survive such a code object")
def test_an_unknown_opcode_is_said():
    with pytest.raises(BytecodeError, match="unknown opcode"):
        decode(code_of_bytes(254, 0))


@pytest.mark.parametrize(("version", "implementation"), [((3, 16), "cpython"), ((3, 9), "cpython"), ((3, 11), "pypy")])
def test_an_interpreter_without_tables_is_refused(monkeypatch, version, implementation):
    monkeypatch.setattr(v, "PYTHON", version)
    monkeypatch.setattr(sys.implementation, "name", implementation)
    wanted = rf"CPython 3\.10, .*3\.15, not of {implementation} {version[0]}\.{version[1]}"
    with pytest.raises(UnsupportedPython, match=wanted):
        decode(codes_of("contextlib")[0])
