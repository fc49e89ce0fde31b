"""What must never be found the same: thousands of spoilt functions, and the traps that were thought of."""

from __future__ import annotations

import dis
from types import CodeType

import pytest

from codes import function_code
from mutants import mutants
from unjit.bytecode import versions as v
from unjit.bytecode.constants.constant_key import constant_key
from unjit.verifier import Comparer, Verdict, compare
from verifier_pairs import PAIRS, TRAPS

# Changes that show in any text; the others may be undone by how a candidate is written.
ANYWHERE = (
    "negate_test", "swap_arms", "swap_branches", "change_comparison", "change_attribute", "rename_load",
    "swap_operands", "change_operator", "swap_junction", "swap_conditions", "swap_arguments", "drop_argument",
    "drop_keyword", "rename_keyword", "drop_call", "break_to_continue", "continue_to_break", "return_other",
    "return_pair", "swap_handlers", "finally_to_else", "else_into_try", "loop_else_after", "drop_cause", "raise_again",
    "swap_managers", "drop_condition", "yield_nothing", "plain_assignment", "move_last_out", "move_former_in",
    "swap_statements",
)  # fmt: skip


def same_bytes(one: CodeType, other: CodeType) -> bool:
    """Whether the compiler made the very same of both: then the mutation is none."""
    fields = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_exceptiontable")
    return all(getattr(one, name, None) == getattr(other, name, None) for name in fields) and all(
        same_bytes(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType) else constant_key(a) == constant_key(b)
        for a, b in zip(one.co_consts, other.co_consts, strict=False)
    )


def spoilt(name: str):
    for n, text in enumerate(PAIRS[name]):
        unspoilt = function_code(text)
        for what, mutant in mutants(text):
            if n and not what.startswith(ANYWHERE):
                continue
            code = function_code(mutant)
            same = what.startswith("change_type") and "while 1:" in mutant  # the compiler drops either test
            if not (same or same_bytes(unspoilt, code)):
                yield what, mutant, code


@pytest.mark.parametrize("name", PAIRS)
def test_every_mutant_is_rejected(name):
    original = function_code(PAIRS[name][0])
    for what, text, mutant in spoilt(name):
        answer = compare(original, mutant)
        assert answer.verdict is Verdict.DIFFERENT, f"{what}\n{text}"
        assert answer.difference


def test_there_are_enough_mutants():
    assert sum(1 for name in PAIRS for _ in spoilt(name)) > 2000


@pytest.mark.parametrize("name", TRAPS)
def test_trap(name):
    original, candidate = map(function_code, TRAPS[name])
    assert compare(original, candidate).verdict is Verdict.DIFFERENT


ORDERS = {
    "z is named first in the text of one": (
        "def f(x):\n    if x:\n        y = 1; z = 2\n    else:\n        z = 3; y = 4\n    return {}",
        "def f(x):\n    if not x:\n        z = 3; y = 4\n    else:\n        y = 1; z = 2\n    return {}",
    ),
    "z is named first in dead code": (
        "def f(x):\n    if 0:\n        z = 1\n    y = x.a\n    z = x.b\n    return {}",
        "def f(x):\n    y = x.a\n    z = x.b\n    return {}",
    ),
    "so it is in an inner function": (
        "def f():\n    def g():\n        if 0:\n            z = 1\n        y = z = 2\n        return {}\n    return g",
        "def f():\n    def g():\n        y = z = 2\n        return {}\n    return g",
    ),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("asked", ["locals()", "list(vars())", "eval('z')", "sys._getframe().f_locals"])
def test_the_order_of_locals_counts_where_the_program_asks_for_them(name, asked):
    original, candidate = (function_code(text.format(asked)) for text in ORDERS[name])
    assert compare(original, candidate).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("unasked", ["y, z", "dir()", "x.eval()", "x.vars(z)"])
def test_the_order_of_locals_counts_nowhere_else(name, unasked):
    original, candidate = (function_code(text.format(unasked)) for text in ORDERS[name])
    assert compare(original, candidate).verdict is not Verdict.DIFFERENT


def test_where_it_differs():
    original = function_code("def f(a):\n    g(a)\n    return a.x")
    answer = compare(original, function_code("def f(a):\n    g(a)\n    return a.y"))
    assert answer.offset is not None
    assert original.co_code[answer.offset] != 0
    assert "x" in answer.difference
    assert "y" in answer.difference


def test_what_is_not_known_is_not_guessed(monkeypatch):
    from unjit.verifier.machine import program

    monkeypatch.delitem(program.OPERATIONS, "RETURN_VALUE")
    original = function_code("def f(a):\n    g(a)\n    return a.x")
    answer = compare(original, function_code("def f(a):\n    t = g(a)\n    return a.x"))
    assert answer.difference == "cannot verify RETURN_VALUE"


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0), (0j, -0j), ((1,), (True,)), ("a", b"a"), ((0.0,), (-0.0,))]
)
def test_constants_are_compared_by_type_and_value(one, other):
    code = function_code("def f():\n    return 'constant'")
    first, second = (
        code.replace(co_consts=tuple(value if part == "constant" else part for part in code.co_consts))
        for value in (one, other)
    )
    assert compare(first, first.replace()).verdict is Verdict.IDENTICAL
    assert compare(first, second).verdict is Verdict.DIFFERENT


def test_constants_without_literal_are_compared_by_identity():
    code = function_code("def f():\n    return 'constant'")
    one, other = [], []

    def holding(thing):
        return code.replace(co_consts=tuple(thing if part == "constant" else part for part in code.co_consts))

    assert compare(holding(one), holding(one)).verdict is Verdict.IDENTICAL
    assert compare(holding(one), holding(other)).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("class C:\n __qualname__ = 'a.b'\n", "class C:\n __qualname__ = 'c.b'\n"),
        ("class C:\n __firstlineno__ = 1\n", "\nclass C:\n __firstlineno__ = 2\n"),
        (
            "def f():\n global __qualname__\n __qualname__ = 'a.b'\n",
            "def f():\n global __qualname__\n __qualname__ = 'c.b'\n",
        ),
        (
            "class C:\n x = 1\n __module__ = __name__\n __qualname__ = 'a.C'\n",
            "class C:\n x = 1\n __module__ = __name__\n __qualname__ = 'c.C'\n",
        ),
        (
            "class C:\n __module__ = 'm'\n __qualname__ = 'a.C'\n",
            "class C:\n __module__ = 'm'\n __qualname__ = 'c.C'\n",
        ),
        (
            "def f():\n global __module__, __qualname__\n __module__ = __name__\n __qualname__ = 'a.f'\n",
            "def f():\n global __module__, __qualname__\n __module__ = __name__\n __qualname__ = 'c.f'\n",
        ),
    ],
    ids=["qualified name", "line", "in a function", "the module too, later", "the module too", "both in a function"],
)
def test_what_the_program_stores_under_names_of_the_compiler(one, other):
    codes = [next(c for c in compile(text, "f", "exec").co_consts if isinstance(c, CodeType)) for text in (one, other)]
    assert compare(*codes).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("__module__ = __name__\n__qualname__ = 'a.b'\n", "__module__ = __name__\n__qualname__ = 'c.b'\n"),
        ("__static_attributes__ = ('b', 'a')\n", "__static_attributes__ = ('a', 'b')\n"),
        ("__qualname__ = 'a'\n__firstlineno__ = 1\n", "__qualname__ = 'a'\n__firstlineno__ = 'line'\n"),
        ("class C:\n __firstlineno__ = 1\n", "class C:\n __firstlineno__ = 'line'\n"),
    ],
)
def test_what_a_module_stores_under_names_of_the_compiler(one, other):
    assert compare(compile(one, "f", "exec"), compile(other, "f", "exec")).verdict is Verdict.DIFFERENT


class Counted(int):
    """A constant that no compiler makes: it has a say in whether it is true."""

    asked = 0

    def __bool__(self) -> bool:
        Counted.asked += 1
        return True


def test_the_truth_of_a_constant_of_another_class_is_not_known():
    texts = "def f(a):\n    x = 'K'\n    if x: g()", "def f(a):\n    x = 'K'\n    g()"
    original, candidate = map(function_code, texts)
    constant = Counted(5)
    codes = [
        code.replace(co_consts=tuple(constant if part == "K" else part for part in code.co_consts))
        for code in (original, candidate)
    ]
    assert compare(*codes).verdict is Verdict.DIFFERENT
    assert Counted.asked == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [("return (t, t[::2])", "return (t, t)"), ("return t[::-1] is t", "return 1 == 1"), ("return t[::2]", "return t")],
)
def test_a_slice_with_a_step_is_another_tuple(one, other):
    original, candidate = (function_code(f"def f(x):\n    t = (x,)\n    {text}") for text in (one, other))
    assert compare(original, candidate).verdict is Verdict.DIFFERENT
    assert compare(candidate, original).verdict is Verdict.DIFFERENT


def test_a_comparer_tells_codes_apart_that_are_gone():
    comparer = Comparer()
    original = function_code("def f(x):\n    return x - 1")
    for _ in range(50):
        same = comparer.compare(original, function_code("def f(x):\n    return x - 1"), nested=False)
        assert same.verdict is Verdict.IDENTICAL
        other = comparer.compare(original, function_code("def f(x):\n    return x + 1"), nested=False)
        assert other.verdict is Verdict.DIFFERENT


def test_names_count_of_nested_code_though_not_of_what_was_compared_alone():
    comparer = Comparer()
    one, other = (compile(f"def {name}(): 'text of {name}'", "f", "exec") for name in "ab")
    alone = comparer.compare(one.co_consts[0], other.co_consts[0], nested=False)
    assert alone.verdict is Verdict.IDENTICAL
    assert comparer.compare(one.co_consts[0], other.co_consts[0], nested=True).verdict is Verdict.DIFFERENT


@pytest.mark.skipif(not v.PY311, reason="code has no qualified name before")
def test_the_last_part_of_a_qualified_name_counts():
    code = compile("def h(): pass", "f", "exec")
    renamed = code.co_consts[0].replace(co_qualname="other.name")
    edited = code.replace(co_consts=(renamed, *code.co_consts[1:]))
    assert compare(code, edited).verdict is Verdict.DIFFERENT


@pytest.mark.skipif(not v.PY311, reason="there is no RESUME before")
def test_code_that_is_edited_at_a_yield_is_not_identical():
    code = function_code("def f(a):\n    yield a")
    place = [instr.offset for instr in dis.get_instructions(code) if instr.opname == "RESUME"][-1] + 1
    edited = bytearray(code.co_code)
    edited[place] ^= 3  # after a `yield`, now as after a `yield from`
    edited = code.replace(co_code=bytes(edited))
    assert compare(code, edited).verdict is not Verdict.IDENTICAL
