"""What Dynamo writes around the call of a graph, and no person would: said as a person would say it."""

from __future__ import annotations

import dis
from types import CodeType

from codes import function_code
from foreign import prefixed
from recovered import check
from unjit.bytecode import decode
from unjit.bytecode import versions as v

COPY = ("COPY", 1) if v.PY311 else ("DUP_TOP", 0)


def lines_of(answer):
    assert answer.synthetic.total == 0
    return [line.strip() for line in answer.source.splitlines()[1:]]


def test_a_value_that_is_stored_after_deletions():
    code = function_code("def f(a, b): x = a(b); del b, a; return x")  # on one line, whatever is moved
    instrs = decode(code)
    store, last = next((i.offset, instrs[n + 2].offset) for n, i in enumerate(instrs) if i.op == "STORE_FAST")
    moved = code.co_code[store + 2 : last + 2] + code.co_code[store : store + 2]
    made = code.replace(co_code=code.co_code[:store] + moved + code.co_code[last + 2 :])
    assert [i.op for i in decode(made)].index("STORE_FAST") > [i.op for i in decode(made)].index("DELETE_FAST")
    assert lines_of(check(made)) == ["x = a(b)", "del b, a", "return x"]


def test_a_value_that_is_stored_and_stays_on_the_stack():
    code = function_code("def f(a, b):\n    x = a\n    y = b\n    return x, y")
    x = (("LOAD_FAST", 0), ("UNARY_NEGATIVE", 0), COPY, ("STORE_FAST", 2))
    y = (("LOAD_FAST", 1), ("UNARY_NEGATIVE", 0), ("STORE_FAST", 3))
    assert lines_of(check(prefixed(code, *x, *y, ("RETURN_VALUE", 0))))[:3] == ["x = -a", "y = -b", "return x"]
    changed = check(prefixed(code, *x, ("LOAD_FAST", 1), ("STORE_FAST", 2), ("RETURN_VALUE", 0)))
    assert changed.synthetic.temporaries == 1


def test_a_value_that_is_stored_once_and_waits_under_a_loop():
    code = function_code("def f(a, b):\n    for y in b:\n        g(x)\n    x = g(a)\n    return x")
    (store,) = [i for i in decode(code) if i.op == "STORE_FAST" and i.value == "x"]
    (load,) = [i for i in decode(code) if i.op.startswith("LOAD_FAST") and i.offset > store.offset]
    waiting = prefixed(code, ("LOAD_FAST", 0), ("UNARY_NEGATIVE", 0), COPY, ("STORE_FAST", store.arg))
    by = len(waiting.co_code) - len(code.co_code)
    made = bytearray(waiting.co_code)
    made[store.offset + by : load.offset + by + 2] = bytes((dis.opmap["POP_TOP"], 0, dis.opmap["NOP"], 0))
    shown = lines_of(check(waiting.replace(co_code=bytes(made))))
    assert shown == ["x = -a", "for y in b:", "g(x)", "g(a)", "return x"]


def test_a_local_that_waits_under_a_loop():
    code = function_code("def f(a, b):\n    for x in b:\n        g(x)\n    return a")
    waiting = prefixed(code, ("LOAD_FAST", 0))
    (load,) = [one for one, two in zip(decode(waiting), decode(waiting)[1:], strict=False) if two.op == "RETURN_VALUE"]
    made = bytearray(waiting.co_code)
    made[load.offset : load.offset + 2] = bytes((dis.opmap["NOP"], 0))
    assert lines_of(check(waiting.replace(co_code=bytes(made)))) == ["for x in b:", "g(x)", "return a"]


def test_deletions_without_lines():
    """As many on one line as fit."""
    names = [f"a_local_that_goes_by_{k}" for k in range(9)]
    code = function_code(f"def f(*args):\n    {', '.join(names)} = args\n    del {', '.join(names)}")
    made = code.replace(**({"co_linetable": b""} if v.PY311 else {"co_linetable": bytes((254, 128))}))
    deleting = [line for line in lines_of(check(made)) if line.startswith("del ")]
    assert [name for line in deleting for name in line[4:].split(", ")] == names
    assert len(deleting) == 3


def test_two_functions_of_one_name_that_are_called_where_they_are_made():
    """As Dynamo's resume functions after a test, which torch 2.11 makes so."""
    code = function_code("def f(a, call):\n    if a:\n        return call(lambda: 1)\n    return call(lambda: 2)")
    bound = "def f(a):\n    if a:\n        def same():\n            a = 1\n            return a\n        return same\n"
    same = function_code(f"{bound}    def same():\n        return [2, 2]\n    return same").co_consts
    inner = (one for one in same if isinstance(one, CodeType))
    constants = (next(inner) if isinstance(one, CodeType) else one for one in code.co_consts)
    named = (one.replace("<lambda>", "same") if isinstance(one, str) else one for one in constants)  # names, on 3.10
    answer = check(code.replace(co_consts=tuple(named)))
    assert answer.source.count("def same():") == 2
    assert answer.source.count("return call(same)") == 2
