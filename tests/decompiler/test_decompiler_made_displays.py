"""Displays that Dynamo makes and no compiler would: proved by what they hold, and by when each part is hashed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import FunctionType, MethodType

import pytest

from codes import function_code
from foreign import prefixed, replaced
from generated_graphs import SUBSCRIPT
from recovered import check
from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.decompiler import after, decompile
from unjit.decompiler.answer.opaque import opaque_source
from unjit.decompiler.errors import CannotCompile
from unjit.verifier import Verdict, compare

LONG = 17
ROOT = Path(__file__).resolve().parents[2]


def test_an_empty_set():
    code = prefixed(function_code("def f(a):\n    return {a}"), ("BUILD_SET", 0), ("RETURN_VALUE", 0))
    assert check(code, "{*()}").synthetic.total == 0
    for text in ("{*(1,)}", "{*a}", "{1}", "[]"):
        assert compare(code, function_code(f"def f(a):\n    return {text}")).verdict is Verdict.DIFFERENT


def test_a_set_of_constants():
    """Put together one by one; the compiler makes one constant of them, which may give them another order."""
    code = function_code("def f(a):\n    return {0, 'one', (2, 3)}")
    code = code.replace(co_consts=(None, 0, "one", (2, 3)))
    loads = (("LOAD_CONST", k) for k in (1, 2, 3))
    made = prefixed(code, *loads, ("BUILD_SET", 3), ("RETURN_VALUE", 0))
    assert check(made, "{*(), 0, 'one', (2, 3)}").synthetic.total == 0
    for text in ("{0, 'one', (2, 3)}", "{*(), 'one', 0, (2, 3)}", "{*(), 0, 'one'}", "{*(), 0, 'one', (2, 3), a}"):
        assert compare(made, function_code(f"def f(a):\n    return {text}")).verdict is Verdict.DIFFERENT


def test_a_frozenset():
    """Dynamo has them among its constants; the compiler makes them of displays that are searched or iterated over."""
    code = function_code("def f(a):\n    return {a}")
    letters = "frozenset({'a', 'b', 'c', 'd'})"  # in order, whatever the hashes are
    for value, shown in ((frozenset("bdca"), letters), ((frozenset("cabd"), 2), f"({letters}, 2)")):
        made = prefixed(code.replace(co_consts=(None, value)), ("LOAD_CONST", 1), ("RETURN_VALUE", 0))
        check(made, f"_constant is the constant {shown}")
    searched = function_code("def f(a):\n    return [a in {1, 2, 'one'}, *(b for b in {3, 4})]")
    assert check(searched, "a in {'one', 1, 2}", "for b in {3, 4}").synthetic.total == 0


def test_a_set_of_texts_reads_the_same_in_each_process():
    """Numbers keep the order of the constant: where their hashes collide, another would be another set."""
    text = "def f(a):\n    return {'a', 'b', 'c', 'd', 1}, {8, 0, 16}"
    assert check(function_code(text), "{'a', 'b', 'c', 'd', 1}").synthetic.total == 0
    script = f"from unjit.decompiler import decompile\nprint(decompile(compile({text!r}, 'f', 'exec')).source)"
    shown = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in "123"
    }  # fmt: skip
    assert len(shown) == 1
    numbers = shown.pop().partition("1}, {")[2].partition("}")[0]
    assert numbers == ", ".join(map(str, frozenset((8, 0, 16))))


def test_a_namespace_among_the_constants():
    """What it holds is not asked for its text, which may be anything and take any time."""
    asked = []

    class Asked:
        def __repr__(self):
            asked.append(self)
            return "an object"

    code = function_code("def f(a):\n    return {a}")
    namespace = {f"name_{k}": [Asked()] for k in range(1000)}
    made = prefixed(code.replace(co_consts=(None, namespace)), ("LOAD_CONST", 1), ("RETURN_VALUE", 0))
    check(made, "# dict_constant is the constant {'name_0': [<")
    assert asked == []


def test_no_constant_is_asked_for_anything():
    """Reading never runs the program: an object among the constants may do anything where it is looked at."""
    asked = []

    def note(self, *arguments):
        asked.append(arguments)
        raise RuntimeError("it was looked at")

    of_types, more = ("repr", "str", "getattr", "call", "hash", "eq"), ("format", "bool", "len", "iter", "dir", "index")
    kind = type("Kind", (type,), {f"__{name}__": note for name in of_types})
    odd = type("Odd", (), {f"__{name}__": note for name in of_types + more})
    for value in (odd(), kind("Made", (), {}), MethodType(odd(), 1)):
        code = function_code("def f(a):\n    return a + 'constant'")
        code = code.replace(co_consts=(None, value))
        answer = decompile(code)
        assert answer.verdict.value in ("identical", "equivalent"), answer.source
        opaque_source(code, "it was not tried")
    assert asked == []


def test_a_set_of_values():
    """Each is hashed when all are there; after `*()` one by one."""
    together = function_code("def f(a, b):\n    return {a, b(), 1}")
    check(together)
    one_by_one = function_code("def f(a, b):\n    return {*(), a, b(), 1}")
    assert compare(together, one_by_one).verdict is Verdict.DIFFERENT


def test_a_long_dict_whose_keys_are_hashed_last():
    """Made at once; a display of more than 15 pairs hashes each key before what follows is evaluated."""
    code = function_code("def f(a, b):\n    return {a: b}")
    code = code.replace(co_consts=(None, *map(str, range(LONG))))
    pairs = [(("LOAD_CONST", k), ("LOAD_FAST", 1)) for k in range(2, LONG)]
    last = (("LOAD_CONST", 1), ("LOAD_FAST", 1), ("UNARY_NEGATIVE", 0))
    made = (("LOAD_FAST", 0), ("LOAD_FAST", 1), *(i for pair in pairs for i in pair), *last)
    at_once = prefixed(code, *made, ("BUILD_MAP", LONG), ("RETURN_VALUE", 0))
    check(at_once, "return build_map(")
    shown = ", ".join(["a: b", *(f"'{k - 1}': b" for k in range(2, LONG)), "'0': -b"])
    one_by_one = function_code(f"def f(a, b):\n    return {{{shown}}}")
    assert compare(at_once, one_by_one).verdict is Verdict.DIFFERENT


class Noted:
    """Notes when it is asked for its hash, and what it is compared with; every third is equal to the one before."""

    def __init__(self, number, notes):
        self.number, self.notes = number - (number % 3 == 2), notes

    def __hash__(self):
        self.notes.append(("hash", self.number))
        return self.number % 5

    def __eq__(self, other):
        self.notes.append(("compared", self.number, other.number))
        return self.number == other.number


class Source:
    """Has such keys as attributes, and notes when it is asked for one."""

    def __init__(self):
        self.notes = []

    def __getattr__(self, name):
        self.notes.append(name)
        return Noted(int(name[1:]), self.notes)


@pytest.mark.parametrize("pairs", [15, 16, LONG, LONG + 1, 140, 300])
def test_a_dict_of_keys_that_ask_the_program_for_their_hash(pairs):
    """Such as members of an enum, which Dynamo loads one after the other, and makes the dict of them at once."""
    code = function_code("def f(a, b):\n    return {a.k0: b}")
    names = tuple(f"k{k}" for k in range(pairs))
    load = 2 if v.PY312 else 1  # from 3.12 on the lowest bit says whether a method is loaded
    made = (i for k in range(pairs) for i in (("LOAD_FAST", 0), ("LOAD_ATTR", load * k), ("LOAD_FAST", 1)))
    code = prefixed(code.replace(co_names=names), *made, ("BUILD_MAP", pairs), ("RETURN_VALUE", 0))
    code = code.replace(co_stacksize=2 * pairs)
    answer = check(code)
    assert answer.synthetic.total == answer.synthetic.helpers == (pairs > 15)
    printed = {}
    exec(answer.source, printed)
    noted = []
    for function in (FunctionType(code, {}), FunctionType(answer.recompile(), {}), printed["f"]):
        source = Source()
        noted.append([*((key.number, value) for key, value in function(source, 1).items()), *source.notes])
    assert noted[0] == noted[1] == noted[2]
    one_by_one = function_code(f"def f(a, b):\n    return {{{', '.join(f'a.{name}: b' for name in names)}}}")
    assert (compare(code, one_by_one).verdict is Verdict.DIFFERENT) == (pairs > 15)


def test_a_key_without_a_value():
    code = function_code("def f(a, b):\n    return {a: b}")
    answer = decompile(prefixed(code, *[("LOAD_FAST", 0)] * 32, ("BUILD_MAP", 16), ("RETURN_VALUE", 0)))
    for count in (4, 34):
        edited = f"from unjit.helpers import build_map\ndef f(a, b):\n    return build_map({'a, ' * count})\n"
        assert answer.compile_edited(edited)
        with pytest.raises(CannotCompile, match="a value for each key"):
            answer.compile_edited(edited.replace("(a, a", "(a"))


@pytest.mark.parametrize("body", ["return {}", "try: return {}\n    except IndexError: pass", "return [{} for c in b]"])
def test_a_comprehension_in_a_long_dict_that_is_made_at_once(body):
    """From 3.12 on it has a handler, which finds less on the stack when the call of the helper is gone."""
    code = function_code("def f(a, b):\n    return {a: b}")
    answer = decompile(prefixed(code, *[("LOAD_FAST", 0)] * 32, ("BUILD_MAP", 16), ("RETURN_VALUE", 0)))
    plain, nested = "[x + a for x in b]", "[build_map(7, [x + y for x in b]) for y in b]"
    call = f"build_map({'a, b, ' * LONG} 8, {plain}, 9, {nested})"
    edited = f"from unjit.helpers import build_map\ndef f(a, b):\n    {body.format(call)}\n"
    made, printed = answer.compile_edited(edited), {}
    exec(edited, printed)
    again = check(made, "import build_map").recompile()
    for b in ([1, 2], [1, None], 3):
        expected = _outcome(printed["f"], 1, b)
        assert _outcome(FunctionType(made, {}), 1, b) == _outcome(FunctionType(again, {}), 1, b) == expected


def _outcome(function, *arguments):
    try:
        return function(*arguments)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("pairs", [3, LONG, 2 * LONG + 1])
def test_a_dict_of_constants_that_are_no_texts(pairs):
    """As Dynamo returns `{i: i for i in range(n)}`: each key is copied for its value, and all are taken at once."""
    code = function_code("def f(a):\n    return {a}")
    code = code.replace(co_consts=(None, *range(pairs), ("layer", None)))
    copy = ("COPY", 1) if v.PY311 else ("DUP_TOP", 0)
    made = (i for k in range(1, pairs + 1) for i in (("LOAD_CONST", k), copy))
    last = (("LOAD_CONST", pairs + 1), ("LOAD_FAST", 0))
    answer = check(prefixed(code, *made, *last, ("BUILD_MAP", pairs + 1), ("RETURN_VALUE", 0)), "0: 0,", "2: 2,")
    assert answer.synthetic.total == 0
    assert "('layer', None): a" in answer.source


def test_a_list_that_is_longer_than_what_a_loop_may_make():
    items = 3000
    code = function_code("def f(a):\n    return {a}").replace(co_consts=(None, *map(str, range(items))))
    loads = [("LOAD_CONST", k) for k in range(1, items + 1)]
    code = code.replace(co_stacksize=items)
    assert check(prefixed(code, *loads, ("BUILD_LIST", items), ("RETURN_VALUE", 0))).synthetic.total == 0


def test_locals_put_back_from_a_display():
    """As after a break: a list of values is taken apart again, and then the function goes on with a call."""
    code = function_code("def f(a, b):\n    return a.g(b, n=0, **b.k)")
    code = code.replace(co_consts=(*code.co_consts, 0, 1))
    copy = ("COPY", 1) if v.PY311 else ("DUP_TOP", 0)
    zero, one = (("LOAD_CONST", len(code.co_consts) - k) for k in (2, 1))
    back = (copy, zero, SUBSCRIPT, ("STORE_FAST", 0), copy, one, SUBSCRIPT, ("STORE_FAST", 1), ("POP_TOP", 0))
    made = prefixed(code, ("LOAD_FAST", 0), ("LOAD_FAST", 1), ("BUILD_LIST", 2), *back)
    answer = check(made)
    assert answer.synthetic.total == 0
    assert "List(" not in after(made, "build_graph")  # what that answer is made from has no list either
    assert [line.strip() for line in answer.source.splitlines()[1:]] == ["a, b = a, b", "return a.g(b, n=0, **b.k)"]


@pytest.mark.skipif(v.PY314, reason="from then on a dict has its keys on the stack")
def test_keys_that_are_known_only_when_it_runs():
    code = function_code("def f(a):\n    return {'p': a, 'q': a}")
    load = next(i for i in decode(code) if i.value == ("p", "q"))
    made = replaced(code, load.offset, ("LOAD_FAST", 0))
    answer = decompile(made)
    assert str(answer.verdict) == "opaque"
    assert "known only when it runs" in answer.reason


def test_a_slice_among_the_constants():
    """Dynamo has them there on each Python; before 3.14 the compiler builds them, also from constants."""
    code = function_code("def f(a):\n    return a").replace(co_consts=(None, slice(None), slice(1, None, 2)))
    for number, subscript in ((1, ":"), (2, "1::2")):
        loads = ("LOAD_FAST", 0), ("LOAD_CONST", number), ("LOAD_FAST", 0), ("BUILD_TUPLE", 2)
        made = prefixed(code, *loads, SUBSCRIPT, ("RETURN_VALUE", 0))
        assert check(made, f"return a[{subscript}, a]").synthetic.total == 0
        assert compare(made, function_code("def f(a):\n    return a[1:, a]")).verdict is Verdict.DIFFERENT
