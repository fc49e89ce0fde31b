"""Formatted strings gone on with in their middle, as resume functions are: parts of the text lie on the stack."""

from __future__ import annotations

from types import FunctionType

import pytest

from codes import function_code
from foreign import prefixed
from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

FORMATS = ("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC")

IN_A_TRY = "try:\n        x = f'sum is {p}'\n    except TypeError:\n        return 0\n    return x"


def entered(body: str):
    """`f(q, p)` gone on with where its first value is formatted: `p` is the value, and `q` the text before it."""
    code = function_code(f"def f(q, p):\n    {body}")
    offset = next(i.offset for i in decode(code) if i.op in FORMATS)
    return prefixed(code, ("LOAD_FAST", 0), ("LOAD_FAST", 1), at=offset)


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError, SystemError) as error:
        return str(error)


@pytest.mark.parametrize("arguments", [("sum is ", 9.5), ("", "x"), (b"no text", 1), (3, 4)])
@pytest.mark.parametrize(
    "body",
    [
        "return f'sum is {p}'",
        "return f'sum is {p} of {p!r} {q}!'",
        "x = f'sum is {p}'; return x, q",
        "return f'sum is {p} of {[x for x in q]}'",  # from 3.12 on with a handler in it
        "return f'sum is {p} of {[[x for x in y] for y in q]}, {[x for x in q]}'",
        # Before 3.11 code sets up its blocks itself.
        *([IN_A_TRY, IN_A_TRY.replace("{p}", "{p}, {[x for x in q]}")] if v.PY311 else []),
    ],
)
def test_a_text_that_waits_for_a_value(body, arguments):
    code = entered(body)
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    assert "from unjit.helpers import build_string" in answer.source
    printed: dict = {}
    exec(answer.source, printed)
    expected = outcome(FunctionType(code, {}), *arguments)
    assert outcome(FunctionType(answer.recompile(), {}), *arguments) == expected
    assert outcome(printed["f"], *arguments) == expected


@pytest.mark.parametrize("spec", [">", "^", "no spec at all", b"no text", 1])
@pytest.mark.parametrize(
    ("parameters", "body", "nth", "shown"),
    [
        ("xsp", "return f'{x:>{p}}'", 0, "build_string(s, "),
        ("xs", "return f'{x:{s}}'", 1, "(x, s)"),
        ("xsp", "return f'{x!r:>{p}}'", 0, "build_string(s, "),
        ("xsp", "return f'{x!s:>{p}}, {p!a:>{p}}'", 0, "build_string(s, "),
        ("bxsp", "return f'a{x:>{p}}b'", 0, "build_string(b, format_with_spec("),
        ("xsp", "s = f'{x:>{p}}'; return x, s", 0, "format_with_spec(x, "),
    ],
)
def test_a_format_that_waits_for_a_part_of_itself(parameters, body, nth, shown, spec):
    """Gone on with behind the colon: the value and what follows the colon lie on the stack."""
    code = function_code(f"def f({', '.join(parameters)}):\n    {body}")
    offset = [i.offset for i in decode(code) if i.op in FORMATS][nth]
    code = prefixed(code, *[("LOAD_FAST", k) for k in range(len(parameters))], at=offset)
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    assert shown in answer.source
    given = {"x": "né", "s": spec, "p": 8, "b": "<"}
    arguments = [given[name] for name in parameters]
    printed: dict = {}
    exec(answer.source, printed)
    expected = outcome(FunctionType(code, {}), *arguments)
    assert outcome(FunctionType(answer.recompile(), {}), *arguments) == expected
    if isinstance(spec, str):  # else the interpreter calls it a fault of its own, and `format` says what is wrong
        assert outcome(printed["f"], *arguments) == expected
