"""What has no bytecode is refused in one sentence, by the API and by the command; reading never runs anything."""

from __future__ import annotations

import dis
import enum
import functools
import os
import subprocess
import sys
from types import CodeType, SimpleNamespace
from unittest import mock

import pytest

from unjit.bytecode import BytecodeError
from unjit.decompiler import Verdict, decompile


class Plain:
    """A class without code of its own."""


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Callable:
    def __call__(self, a):
        return a

    def method(self, b):
        return b

    @property
    def shown(self):
        return self

    @staticmethod
    def static(c):
        return c

    @classmethod
    def of_class(cls, d):
        return cls, d

    @functools.cached_property
    def kept(self):
        return 1

    def yields(self):
        yield 1


class Inherits(Callable):
    pass


@pytest.mark.parametrize(
    "target",
    [
        None,
        1,
        "def f(): pass",
        len,
        int,
        Plain,
        Plain(),
        [].append,
        sys,
        NotImplemented,
        SimpleNamespace(),
        str.join,
        object(),
    ],
    ids=lambda target: type(target).__name__,
)
def test_no_bytecode_is_a_type_error_of_one_sentence(target):
    with pytest.raises(TypeError) as caught:
        decompile(target)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert "bytecode" in message


@pytest.mark.parametrize("fake", [7, "code", None, b"\x00"])
def test_an_attribute_that_only_looks_like_code(fake):
    with pytest.raises(TypeError):
        decompile(SimpleNamespace(__code__=fake))


def test_an_attribute_that_leads_in_a_circle():
    one, other = SimpleNamespace(), SimpleNamespace()
    one.__wrapped__, other.__wrapped__ = other, one
    with pytest.raises(TypeError):
        decompile(one)


class Hostile:
    """Whatever it is asked, it runs code of its own."""

    __class__ = CodeType

    def _refuse(self, *_):
        raise AssertionError("it was asked")

    __code__ = __func__ = __wrapped__ = func = __name__ = property(_refuse)
    __getattr__ = __repr__ = __eq__ = __hash__ = _refuse


def test_an_object_is_looked_at_and_asked_nothing():
    with pytest.raises(TypeError, match="an object of type Hostile has no Python bytecode"):
        decompile(Hostile())


def test_a_mock_which_has_every_attribute_is_what_it_can_be_called_by():
    for made in (mock.Mock(), mock.MagicMock(), mock.Mock(spec=CodeType)):
        assert "def __call__(self" in decompile(made).source
    with pytest.raises(TypeError, match="NonCallableMock"):
        decompile(mock.NonCallableMock())


class Colour(enum.Enum):  # its metaclass can be called, which is not the class's code
    RED = 1


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Plain, "the class Plain .* FILE.py:Plain"),
        (Colour, "the class Colour .* FILE.py:Colour"),
        (Colour.RED, "an object of type Colour has"),
        (os, r"the module os .* unjit decompile \S*os.py"),
        (os.environ, "^an object of type _Environ has no Python bytecode$"),
        ([].append, "list.append, of type builtin_function_or_method, has"),
        (int, "int, of type type, has"),
    ],
)
def test_the_refusal_says_what_it_is_and_what_to_give(target, words):
    with pytest.raises(TypeError, match=words):
        decompile(target)


def test_a_frame_has_code_and_a_traceback_that_of_several():
    assert "sys._getframe()" in decompile(sys._getframe()).source
    try:
        int("no number")
    except ValueError as error:
        traceback = error.__traceback__
    with pytest.raises(TypeError, match=r"traceback\.tb_frame"):
        decompile(traceback)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Callable(), "__call__"),
        (Callable().method, "method"),
        (Callable.method, "method"),
        (Callable.shown, "shown"),
        (Callable.static, "static"),
        (Callable.of_class, "of_class"),
        (functools.partial(Callable.static, 1), "static"),
        (vars(Callable)["static"], "static"),
        (Inherits(), "__call__"),
        (functools.lru_cache(Callable.static), "static"),
        (vars(Callable)["kept"], "kept"),
        (Callable().yields(), "yields"),
    ],
    ids=[
        *("instance", "bound", "function", "property", "static", "class method", "partial", "staticmethod"),
        *("inherited", "cached", "cached property", "generator"),
    ],
)
def test_everything_with_code_behind_it(target, name):
    answer = decompile(target)
    assert answer.verdict is Verdict.IDENTICAL
    assert f"def {name}(" in answer.source


def test_a_wrapper_is_itself_and_not_what_it_wraps():
    assert "def wrapper(" in decompile(traced(Callable.static)).source


def test_reading_runs_nothing(tmp_path):
    ran = tmp_path / "ran"
    code = compile(f"def f(a=open({str(ran)!r}, 'w')):\n    open({str(ran)!r}, 'w')", "f", "exec")
    function = next(c for c in code.co_consts if isinstance(c, CodeType))
    assert decompile(function).verdict is Verdict.IDENTICAL
    assert not ran.exists()


@pytest.mark.parametrize("code", ["x = 1\nprint(x)", "class C:\n    x = 1"])
def test_modules_and_class_bodies_get_an_answer(code):
    module = compile(code, "m", "exec")
    for part in (module, *(c for c in module.co_consts if isinstance(c, CodeType))):
        compile(decompile(part).source, "<answer>", "exec")


@pytest.mark.parametrize(
    "target", ["builtins:len", "builtins:int", "sys:version", "jsonn", "json:nothing", "no_such:f", ":", "json:"]
)
def test_the_command_refuses_with_status_2(target):
    done = subprocess.run(
        [sys.executable, "-m", "unjit", "decompile", target], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) <= 3


def test_code_that_dis_cannot_list():
    """Its argument points outside the table of operators: opaque, with a plain listing."""
    code = compile("x + y", "bad.py", "eval")
    at = next(i.offset for i in dis.get_instructions(code) if i.opname.startswith("BINARY_"))
    data = bytearray(code.co_code)
    data[at], data[at + 1] = dis.opmap.get("BINARY_OP", dis.opmap["COMPARE_OP"]), 99
    try:
        answer = decompile(code.replace(co_code=bytes(data)))
    except BytecodeError:
        return
    assert answer.verdict is Verdict.OPAQUE
    compile(answer.source, "answer", "exec")
