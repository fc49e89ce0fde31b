"""Calls of helpers in source, turned back into the instructions that they stand for."""

from __future__ import annotations

import pytest

from codes import function_code
from unjit.bytecode import decode
from unjit.decompiler.errors import CannotCompile
from unjit.decompiler.ir.tree.helpers import OPERATIONS
from unjit.decompiler.recompiling.helper_calls import without_helper_calls

if "get_iter" not in OPERATIONS:
    pytest.skip("no instruction of this Python leaves an iterator alone on the stack", allow_module_level=True)

CHOICES = ("a if b else a", "g(a) if b else a", "(a or g(a)) if b and a else (b and a) or a", "a and (b or a)")


def made_of(text: str):
    code = without_helper_calls(function_code(f"def f(a, b):\n    {text}"), {"get_iter": "get_iter"})
    assert not any(instr.value == "get_iter" for instr in decode(code))
    assert any(instr.op == "GET_ITER" for instr in decode(code))
    namespace = {"g": lambda value: value}
    return type(made_of)(code, namespace)


@pytest.mark.parametrize("chosen", CHOICES)
def test_an_argument_that_is_chosen(chosen):
    made = made_of(f"first = get_iter({chosen})\n    g(a)\n    return first")
    for b in ([], [1], [2, 3]):
        assert list(made([4, 5], b)) == list(eval(chosen, {"a": [4, 5], "b": b, "g": lambda value: value}))


def test_a_call_that_each_way_has_for_itself_is_refused():
    """Where what is called was loaded once, and the compiler copied the call, as it does before a return."""
    code = function_code("def f(a, b):\n    return get_iter(a if b else g(a))")
    calls = [instr for instr in decode(code) if instr.op in ("CALL", "CALL_FUNCTION")]
    if len(calls) == 2:  # this Python copies none: `g` is called once, and so is the helper
        made_of("return get_iter(a if b else g(a))")
    else:
        with pytest.raises(CannotCompile):
            made_of("return get_iter(a if b else g(a))")
