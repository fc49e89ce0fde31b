"""Calls with `*` and `**` gone on with in their middle, as resume functions are: the list or dict lies on the stack."""

from __future__ import annotations

import copy
import dis
from types import FunctionType

import pytest

from codes import function_code
from foreign import assembled, prefixed
from recovered import check
from unjit import helpers
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

SOURCE = "def f(c, s, t, u, x):\n    return c(x, *[x, n(x, 1)], first=n(x, 2), **{'last': n(x, 3)}) * n(x, 4)"
NULL_FIRST = [("PUSH_NULL", 0)] if v.PY311 and not v.PY313 else []
NULL_LAST = [("PUSH_NULL", 0)] if v.PY313 else []


def loaded(*locals_):
    return [*NULL_FIRST, ("LOAD_FAST", 0), *NULL_LAST, *(("LOAD_FAST", local) for local in locals_)]


def entered(operation, *locals_, skip=0):
    """The call entered at an operation, with the callee and these locals on the stack."""
    code = function_code(SOURCE)
    offsets = [i.offset for i in dis.get_instructions(code) if i.opname == operation]
    return prefixed(code, *loaded(*locals_), at=offsets[skip])


def called(code, *values):
    """What a call with copies of the values returns, what its callee received, and the values after it.

    Real lists and dicts: the instructions trust what is on the stack to be one, and the interpreter crashes where not.
    """
    received, arguments = [], [*copy.deepcopy(values), "x"]

    def callee(*args, **named):
        received.append((args, named))
        return 2

    result = FunctionType(code, {"n": lambda x, place: f"{x}{place}"})(callee, *arguments)
    return result, received, arguments


def checked(code, *values):
    """The source, once it is proved and does the same."""
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    assert called(answer.recompile(), *values) == called(code, *values)
    return answer.source


TO_TUPLE = "CALL_INTRINSIC_1" if v.PY312 else "LIST_TO_TUPLE"
PLACES = {
    "a list that is being filled": ("LIST_EXTEND", (1, 2), 0, "list_extend(", ([1], "ab", 0)),
    "a list that is full": (TO_TUPLE, (1,), 0, "list_to_tuple(", ([1], 0, 0)),
    "a name that waits for its value": ("BUILD_MAP", (1, 2, 3), 0, "{t: u}", ((1,), "t", 2)),
    "a dict that is merged into": ("DICT_MERGE", (1, 2, 3), 0, "dict_merge(", ((1,), {"t": 1}, {"u": 2})),
    "a full dict": ("CALL_FUNCTION_EX", (1, 2), 0, "spread(", ((1,), {"t": 1}, 0)),
}


@pytest.mark.parametrize("place", PLACES)
def test_entered_in_the_middle_of_a_call(place):
    operation, locals_, skip, said, values = PLACES[place]
    assert said in checked(entered(operation, *locals_, skip=skip), *values)


def test_two_merges_into_one_dict():
    code = function_code("def f(c, s, t, u, x):\n    return c(*s, **t, **u)")
    merge = next(i.offset for i in dis.get_instructions(code) if i.opname == "DICT_MERGE")
    made = prefixed(code, *loaded(1, 2, 3), at=merge)
    assert checked(made, (1,), {"t": 1}, {}).count("dict_merge(") == 2


def test_one_dict_that_is_merged_into_and_kept():
    """The dict is also a local: no display may be written for it twice."""
    checked(entered("DICT_MERGE", 1, 3, 3), (1,), 0, {"u": 2})


def test_helpers_do_what_the_instructions_do():
    def f(*args, **kwargs):
        return args, kwargs

    named = {"a": 1}
    assert helpers.spread(f)(helpers.list_to_tuple([1, 2]), helpers.dict_merge(named, {"b": 2})) == (
        (1, 2),
        {"a": 1, "b": 2},
    )
    assert named == {"a": 1, "b": 2}
    with pytest.raises(TypeError):
        helpers.dict_merge(named, {"a": 3})


@pytest.mark.skipif(v.PY311, reason="from then on a table says which handler protects what")
def test_a_call_pending_while_a_handler_is_set_up():
    """The value below the handler is another one after the call, and the handler reads neither."""
    code = function_code("def f(p, q):\n    return p")
    handler = assembled(("LOAD_FAST", 1), ("CALL_FUNCTION", 0), ("POP_TOP", 0), ("RERAISE", 0))
    body = assembled(
        *(("CALL_FUNCTION", 0), ("JUMP_FORWARD", 0), ("LOAD_FAST", 1), ("CALL_FUNCTION", 0), ("POP_TOP", 0)),
        *(("POP_BLOCK", 0), ("RETURN_VALUE", 0)),
    )
    start = assembled(("LOAD_FAST", 0), ("SETUP_FINALLY", len(body) // 2))
    check(code.replace(co_code=start + body + handler, co_stacksize=20))
