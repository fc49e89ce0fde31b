"""Where each operation stands, and code that control goes through from one end to the other."""

from __future__ import annotations

from codes import function_code
from unjit.bytecode import decode, places_in, reachable_in
from unjit.bytecode.instructions.flow import is_straight, places_of, reachable

STRAIGHT = ("def f(a):\n    b = a.x\n    return g(b)", "def f(a):\n    raise a")
OTHERS = (
    "def f(a):\n    return 1 if a else 2",
    "def f(a):\n    while True:\n        a()",
    "def f(a):\n    try:\n        a()\n    except E:\n        pass",
    "def f(a):\n    with a:\n        return 1",
)


def test_each_operation_stands_where_it_is_said_to():
    code = function_code(STRAIGHT[0])
    instrs, places = decode(code), places_in(code)
    assert sorted(k for indices in places.values() for k in indices) == list(range(len(instrs)))
    assert all(instrs[k].op == op for op, indices in places.items() for k in indices)


def test_code_is_straight_where_control_neither_divides_nor_ends_before_the_end():
    for text in STRAIGHT:
        instrs = decode(function_code(text))
        assert is_straight(instrs, places_of(instrs)), text
        assert not is_straight(instrs[:-1], places_of(instrs[:-1])), text
    for text in OTHERS:
        instrs = decode(function_code(text))
        assert not is_straight(instrs, places_of(instrs)), text


def test_what_can_be_reached_is_the_same_found_either_way():
    for text in (*STRAIGHT, *OTHERS):
        code = function_code(text)
        assert reachable_in(code) == reachable(decode(code))
