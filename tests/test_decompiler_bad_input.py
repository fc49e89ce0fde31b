"""What has no bytecode is refused in one sentence, by the API and by the command; reading never runs anything."""

from __future__ import annotations

import dis
import functools
import subprocess
import sys
from types import CodeType, SimpleNamespace

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


def test_an_attribute_that_raises():
    class Hostile:
        @property
        def __code__(self):
            raise RuntimeError("no")

    with pytest.raises((TypeError, RuntimeError)):
        decompile(Hostile())


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
    ],
    ids=["instance", "bound", "function", "property", "static", "class method", "partial", "staticmethod"],
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
