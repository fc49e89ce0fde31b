"""Bytes that are no code, and code that no source says: a precise error or reason, and no fault of ours."""

from __future__ import annotations

import pytest

from codes import function_code
from foreign import assembled, offset_of, protected_from
from unjit.bytecode import BytecodeError
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile


@pytest.mark.parametrize("bad", [b"", assembled(("EXTENDED_ARG", 0)), assembled(("JUMP_FORWARD", 99))])
def test_bytes_that_are_no_code_are_refused(bad):
    """An end that execution would run past, or a jump out of the code."""
    with pytest.raises(BytecodeError) as caught:
        decompile(function_code("def f(a):\n    return a").replace(co_code=bad))
    assert str(caught.value)


def test_code_that_runs_past_its_end_is_refused():
    with pytest.raises(BytecodeError):
        decompile(function_code("def f(a):\n    return a").replace(co_code=assembled(("LOAD_FAST", 0))))


def test_a_stack_that_is_too_short_is_opaque():
    code = function_code("def f(a):\n    return a")
    answer = decompile(code.replace(co_code=assembled(("POP_TOP", 0), ("RETURN_VALUE", 0))))
    assert answer.verdict is Verdict.OPAQUE
    compile(answer.source, "<answer>", "exec")


def test_an_argument_that_names_nothing_is_refused():
    code = function_code("def f(a):\n    return a")
    for bad in (("LOAD_CONST", 99), ("LOAD_FAST", 99), ("LOAD_GLOBAL", 98)):
        with pytest.raises(BytecodeError):
            decompile(code.replace(co_code=assembled(bad, ("RETURN_VALUE", 0))))


@pytest.mark.skipif(not v.PY311, reason="from then on a table says what is protected")
def test_an_await_that_is_protected_without_what_it_awaits():
    code = function_code("async def f(a):\n    try:\n        return await a\n    except E:\n        return 1")
    answer = decompile(protected_from(code, offset_of(code, "SEND")))
    assert str(answer.verdict) == "opaque"
    assert "drives no awaitable that was just made" in answer.reason
