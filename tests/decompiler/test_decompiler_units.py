"""Whole modules and class bodies: each file of tests/units is input and expected output at once."""

from __future__ import annotations

import ast
import dis
import json
import sys
from pathlib import Path
from types import CodeType

import pytest

import units_as_written
from elsewhere import on_each_other_python, said
from units_as_written import UNITS, fault, runs_here, without_source
from unjit.bytecode import with_nested
from unjit.decompiler import Verdict, decompile


def module_of(text: str, mode: str = "exec", flags: int = 0) -> CodeType:
    return compile(text, "unit.py", mode, flags=flags, dont_inherit=True)


def class_in(text: str) -> CodeType:
    return next(const for const in module_of(text).co_consts if isinstance(const, CodeType))


@pytest.mark.parametrize("file", [pytest.param(file, id=file.stem) for file in UNITS if runs_here(file)])
def test_modules_come_back_as_they_are_written(file):
    assert fault(file) is None


@pytest.mark.parametrize("file", [pytest.param(file, id=file.stem) for file in UNITS if runs_here(file)])
def test_each_code_object_in_them_has_a_source_of_its_own(file):
    assert without_source(file) == {}


def test_a_comprehension_by_itself_is_one():
    """Its code asks for the thing to loop over, and tells nothing of what that is; a function around it may await."""
    text = "async def f(x, y):\n    global n\n    return [await y(a) for a in x], any((n := a in y) for a in x)\n"
    codes = [code for code in with_nested(module_of(text)) if code.co_name in ("<listcomp>", "<genexpr>")]
    shown = {code.co_name: decompile(code) for code in codes}
    assert {str(answer.verdict) for answer in shown.values()} == {"identical"}
    around = "# Variables of an enclosing function: y.\n"
    assert shown["<genexpr>"].source == f"{around}((n := a in y) for a in _0)\n"
    if "<listcomp>" in shown:  # inlined from 3.12 on
        assert shown["<listcomp>"].source == f"{around}[await y(a) for a in _0]\n"


@on_each_other_python
def test_modules_come_back_elsewhere(version):
    """What a version notes of classes and modules is its own."""
    assert json.loads(said(version, units_as_written.__file__)) == {}


def test_a_class_body_by_itself():
    code = class_in("class __C(Base):\n    '''Text.'''\n    x: int = 1\n    def __f(self):\n        return self.__x\n")
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source == (
        'class __C:\n    """Text."""\n    x: int = 1\n\n    def __f(self):\n        return self.__x\n'
    )
    namespace = {"__name__": "here"}
    exec(answer.recompile(), {}, namespace)
    assert namespace["__qualname__"] == "__C"
    assert namespace["x"] == 1


@pytest.mark.parametrize("first", ["super().f()\n        return super(A, self).x", "return super().x"])
def test_a_method_alone_calls_super_as_where_the_module_names_it(first):
    for top in ("", "kept = super\n"):
        text = f"{top}class A(B):\n    def f(self):\n        {first}\n"
        method = next(const for const in class_in(text).co_consts if isinstance(const, CodeType))
        assert decompile(method).verdict is Verdict.IDENTICAL


def test_a_nested_class_keeps_its_qualified_name():
    outer = class_in("class A:\n    class B:\n        def f(self): pass\n")
    inner = next(const for const in outer.co_consts if isinstance(const, CodeType))
    namespace = {"__name__": "here"}
    exec(decompile(inner).recompile(), {}, namespace)
    assert namespace["__qualname__"] == "A.B"
    assert namespace["f"].__qualname__ == "A.B.f"


def test_a_class_body_with_variables_of_a_function_around_it():
    function = module_of("def f(a, b):\n    class C:\n        nonlocal b\n        b = a\n    return C\n").co_consts[0]
    code = next(const for const in function.co_consts if isinstance(const, CodeType))
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.recompile().co_freevars == ("a", "b")
    assert "nonlocal b" in answer.source


@pytest.mark.parametrize(
    ("text", "mode"),
    [("a if b else c + 1", "eval"), ("None", "eval"), ("print(1)", "single"), ("for i in x: i\n", "single")],
)
def test_what_eval_and_a_prompt_compile(text, mode):
    answer = decompile(module_of(text, mode))
    assert answer.verdict is Verdict.IDENTICAL
    assert "".join(answer.source.split()) == "".join(text.split()) or text == "None"


def test_await_at_a_prompt():
    answer = decompile(module_of("x = await f()", "single", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
    assert answer.verdict is Verdict.IDENTICAL


def test_a_module_without_statements():
    answer = decompile(module_of(""))
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source.strip() in ("", "pass")


def test_a_module_with_a_function_that_is_not_recovered():
    """Everything around it is proved, and running the answer runs the original function."""
    text = "def good(x):\n    return x + 1\n\ndef bad(x, *, y=2):\n    return x * y\n\nz = lambda: bad\n"
    module = module_of(text)
    bad = next(const for const in module.co_consts if isinstance(const, CodeType) and const.co_name == "bad")
    broken = bad.replace(co_code=_returning_what_only_a_class_statement_may_use(bad))
    module = module.replace(co_consts=tuple(broken if const is bad else const for const in module.co_consts))
    answer = decompile(module)
    assert answer.verdict is Verdict.OPAQUE
    assert answer.reason.startswith("bad is not recovered as source: ")
    assert "def good(x):\n    return x + 1\n" in answer.source
    assert "def bad(x, *, y=2):\n    raise NotImplementedError(" in answer.source
    made = answer.recompile()
    assert broken in made.co_consts
    compile(answer.source, "answer.py", "exec")


def _returning_what_only_a_class_statement_may_use(code: CodeType) -> bytes:
    """No tier has source for that."""
    load, returned = dis.opmap["LOAD_BUILD_CLASS"], dis.opmap["RETURN_VALUE"]
    return code.co_code[:-2] + bytes([load, 0, returned, 0])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="its syntax is newer than this Python")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("class C[T, *S](Base):\n    x: T\n", "class C[T]:\n    x: T\n"),
        ("class C[S]: pass\n", "class C[T]:\n    pass\n"),
    ],
    ids=["used", "unused"],
)
def test_the_body_of_a_class_with_type_parameters(text, shown):
    """Which of its free variables are type parameters, and what they are, its code does not say."""
    hidden = next(const for const in module_of(text).co_consts if isinstance(const, CodeType))
    code = next(const for const in hidden.co_consts if isinstance(const, CodeType))
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source == shown


@pytest.mark.parametrize("name", ["colorsys", "textwrap", "contextlib", "json.decoder", "dataclasses", "asyncio.locks"])
def test_modules_of_the_standard_library(name):
    place = Path(ast.__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
    answer = decompile(module_of(place.read_text()))
    assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT), answer.reason


@pytest.mark.parametrize("text", ["lambda: (yield)", "lambda x, *y: ((yield x), y)", "lambda: (yield from a)"])
def test_a_lambda_that_yields(text):
    """By itself it is a lambda still: what it does when asked for one item too many, no def does from 3.12 on."""
    outer = module_of(f"def f(a):\n    return {text}\n").co_consts[0]
    code = next(const for const in outer.co_consts if isinstance(const, CodeType))
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    if sys.version_info >= (3, 12):
        assert answer.source.splitlines()[-1] == text
    assert decompile(answer.recompile()).verdict is Verdict.IDENTICAL


@pytest.mark.skipif(sys.version_info < (3, 12), reason="its syntax is newer than this Python")
@pytest.mark.parametrize(
    "text",
    [
        "    type X = list[y]\n",
        "    type X = list[X]\n",
        "    type X[T] = list[T]\n",
        "    def annotated[X: list[y]](): pass\n",
        "    def annotated[X: list[X]](): pass\n",
        "    def annotated[X: (y, z)](): pass\n",
    ],
)
def test_a_type_in_a_class_by_itself(text):
    codes = with_nested(module_of(f"def f(y):\n  class C:\n{text}"))
    answer = decompile(next(code for code in codes if code.co_name == "X"))
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.synthetic.total == 0


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are not made with the function there")
def test_a_nested_function_whose_header_no_source_has():
    """What does not compile is around the nested code, which has no tier left: the answer ends all the same."""
    text = "from __future__ import annotations\ndef f():\n    def g(x: some): pass\n    return g\n"
    code = next(const for const in module_of(text).co_consts if isinstance(const, CodeType))
    spoilt = [tuple("*some" if x == "some" else x for x in c) if isinstance(c, tuple) else c for c in code.co_consts]
    answer = decompile(code.replace(co_consts=tuple("*some" if c == "some" else c for c in spoilt)))
    assert answer.verdict is Verdict.OPAQUE
    assert answer.reason.startswith("the source does not compile: ")


def test_a_method_alone_that_reads_a_global_of_its_own_name():
    body = class_in(
        "class A:\n def getattr(self, name):\n  getattr(self, '_x', None)\n  return super().getattr(name)\n",
    )
    answer = decompile(next(const for const in body.co_consts if isinstance(const, CodeType)))
    assert answer.verdict is Verdict.IDENTICAL, answer.reason
    assert "def getattr(self, name):" in answer.source
    assert answer.recompile().co_name == "getattr"


TEXTS_LIKE_NAMES = """
class X:
    class Timer:
        "Timer"
        named = "Timer.f"
        pair = 1, __qualname__
        def f(self):
            return "Timer.f"
    class Other:
        "Other."
        class In:
            "Other.In"
def g():
    class C:
        "C.f.<locals>.D"
        def f(self):
            "f.<locals>.D"
            class D:
                "D."
                n = "C.f.<locals>.D"
    def h():
        "h.<locals>.k"
        def k():
            "k"
        return "h.<locals>.k", "k", k
    return lambda: (lambda: 0, "<lambda>.<locals>.<lambda>")
"""


@pytest.mark.parametrize("code", list(with_nested(module_of(TEXTS_LIKE_NAMES))), ids=lambda code: code.co_name)
def test_texts_that_are_like_qualified_names_are_no_names(code):
    """Of code by itself they begin where it begins, and so do texts of the program."""
    assert decompile(code).verdict is Verdict.IDENTICAL


def test_a_name_with_underscores_outside_of_a_class_is_private_to_nothing():
    text = "def f(_C__g):\n    def __g():\n        return _C__g\n    return __g\n"
    answer = decompile(class_in(text))
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source == text


PRIVATE_DEFINITIONS = """
def outer(k):
    class _C:
        def f(self, n):
            def __g(x):
                return x + k + self.__y
            return super().f(__g(n))
        async def g(self, xs):
            "Text."
            class __D:
                z = 1
            async def __h():
                await self.__y
            return [__D, __h] + xs
    return _C
"""


@pytest.mark.parametrize("code", list(with_nested(module_of(PRIVATE_DEFINITIONS))), ids=lambda code: code.co_name)
def test_what_is_private_to_a_class_is_defined_in_it(code):
    """`def __g` in a method binds `_C__g`, which nothing does outside of a class."""
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL
    if code.co_name in ("f", "g"):
        class_ = "_C" if hasattr(code, "co_qualname") else "C"  # 3.11
        assert f"class {class_}:\n    {'async ' if code.co_name == 'g' else ''}def {code.co_name}(" in answer.source
