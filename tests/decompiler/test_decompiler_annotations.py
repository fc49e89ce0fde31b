"""Annotations and types that are made when they are asked for (3.14): the functions that make them, by themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from unjit.bytecode import versions as v
from unjit.bytecode import with_nested
from unjit.decompiler import Verdict, decompile

pytestmark = pytest.mark.skipif(not v.PY314, reason="up to 3.13 annotations are made at once")
FILE = Path(__file__).parents[1] / "units" / "annotations_made_later.py"
TYPES = """
type A = int
type F = list[F]
type B[T: (int, q), *Ts = int] = list[T]
class C:
    type D = list[x]
    type E = lambda: [x for x in y]
    type G[T: [T for T in (T, [1])[1]]] = [lambda: T for T in T.__name__]
"""
IN_PARENTHESES = [
    "a.b: int = 0\nif a:\n    a.c: int\n",
    "class C:\n    a.b: int = 0\n",
    "class C:\n    if False:\n        (a): int\n",
    "class C:\n    (a): int = 0\n    def f[T](self): self.x: T = 0\n",
]


def making(text: str):
    """The code objects that do nothing but make annotations or a type."""
    codes = with_nested(compile(text, "later.py", "exec", dont_inherit=True))
    return [code for code in codes if code.co_varnames[:1] in (("format",), (".format",))]


@pytest.mark.parametrize("text", [FILE.read_text(), TYPES], ids=["annotations", "types"])
def test_each_comes_back_as_something_annotated(text):
    codes = making(text)
    assert len(codes) > 5
    for code in codes:
        answer = decompile(code)
        assert answer.verdict is Verdict.IDENTICAL, answer.reason
        assert answer.synthetic.total == 0
        ast.parse(answer.source)


def test_the_functions_annotations():
    code = next(iter(making("def f(a, /, b: int, *args: *Ts, c: (x if y else z) = 1) -> 'text': pass")))
    assert decompile(code).source == "def annotated(b: int, *args: *Ts, c: x if y else z) -> 'text':\n    pass\n"


def test_annotations_that_were_kept_as_text():
    text = "from __future__ import annotations\ndef f(a: list[int], b: 'text') -> x.y: pass"
    answer = decompile(next(iter(making(text))))
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source == "def annotated(a: list[int], b: 'text') -> x.y:\n    pass\n"


def test_recompiled_they_make_the_same():
    namespace: dict[str, object] = {}
    text = "class C:\n    x: int\n    if True:\n        y: list[str] = []\n"
    exec(compile(text, "later.py", "exec", dont_inherit=True), namespace)
    made = namespace["C"].__annotate__
    code = decompile(made).recompile()
    again = type(made)(code, {}, closure=made.__closure__)
    assert again(1) == made(1) == {"x": int, "y": list[str]}
    with pytest.raises(NotImplementedError):
        again(4)


@pytest.mark.parametrize("text", IN_PARENTHESES)
def test_annotations_of_no_name_are_prepared_for(text):
    answer = decompile(compile(text, "later.py", "exec", dont_inherit=True))
    assert answer.verdict is Verdict.IDENTICAL, answer.reason
