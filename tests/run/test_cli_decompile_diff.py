"""`unjit decompile --diff` compares like with like: what was asked for with its own text alone."""

from __future__ import annotations

import py_compile
import subprocess
import sys
import zipfile

import pytest

from commands import refusal, unjit

TEXT = '''\
"""Things."""


def listed(function):
    return function


def makes(): return lambda a, *, b=2: a + b


class Thing(dict, metaclass=type):
    """A thing.

        Indented.
    """

    size: int = 0

    def __init__(self, size=1):
        self.__size = size

    @property
    def p(self) -> int:
        return self.__size

    @p.setter
    def p(self, __size):
        class Inner:
            def own(self): return self.__size
        self.__size = lambda: (__size, Inner)


@listed
def f(a: int, b=2, *c: str, d: float = 1.5, **e) -> list:
    """Do it.

    And more.
    """
    total = (a)
    def grow():
        nonlocal total
        total += b
    return grow


twice = lambda x, n=2: x * n
odd = lambda x: (yield x)
'''
OF_FUNCTION = "decorators, default values and annotations"
LEFT_OUT = {
    "": None,
    "f": OF_FUNCTION,
    "f.grow": None,
    "makes": None,
    "makes.<lambda>": "default values",
    "twice": "default values",
    "odd": None,
    "Thing": "bases",
    "Thing.__init__": "default values",
    "Thing.p": "decorators",
    "Thing.p.Inner": None,
    "Thing.p.<lambda>": None,
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "things.py").write_text(TEXT)
    return tmp_path


def assert_like(folder, target, left_out, **how):
    """Nothing differs, and what was not compared is said once."""
    done = unjit(folder, "decompile", "--diff", target, **how)
    assert (done.returncode, done.stdout) == (0, "")
    sentence = f"unjit decompile: {left_out} of {target} are not compared: its code alone has none\n"
    assert done.stderr == ("" if left_out is None else sentence)


@pytest.mark.parametrize("name", [name for name in LEFT_OUT if name not in ("twice", "odd")])
def test_in_a_file(folder, name):
    assert_like(folder, f"things.py:{name}" if name else "things.py", LEFT_OUT[name])


@pytest.mark.parametrize("name", ["f", "makes", "twice", "odd", "Thing.__init__"])
def test_in_a_module(folder, name):
    assert_like(folder, f"things:{name}", LEFT_OUT[name])


def test_what_a_decorator_put_in_its_place(folder):
    (folder / "made.py").write_text("from things import makes\n\n\nf = makes()\n")
    assert_like(folder, "made:f", "default values")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are of 3.11")
def test_lambdas_in_one_line(folder):
    lines = ["f, g = lambda x: [x, 1], lambda y: [y, 2]", "h = lambda a: lambda: (a, lambda: a)", "k = h(1)"]
    (folder / "pairs.py").write_text("\n".join([*lines, "m = k()[1]", ""]))
    for name in "fghkm":
        assert_like(folder, f"pairs:{name}", None)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are of 3.12")
def test_type_parameters(folder):
    text = "def f[T](x): return [T, x]\n\n\nclass C[T: int](list):\n    def m(self, x): return x, T\n"
    (folder / "generic.py").write_text(text)
    assert_like(folder, "generic.py:f", "type parameters")
    assert_like(folder, "generic.py:C", "type parameters and bases")
    assert_like(folder, "generic.py:C.m", None)


def test_where_the_source_is_elsewhere(folder):
    with zipfile.ZipFile(folder / "all.zip", "w") as file:
        file.write(folder / "things.py", "zipped.py")
    for target, left_out in (("zipped", None), ("zipped:f", OF_FUNCTION)):
        assert_like(folder, target, left_out, path=[folder / "all.zip"])
    assert_like(folder, "os.path:join", None)
    py_compile.compile(str(folder / "things.py"), str(folder / "compiled.pyc"), doraise=True)
    assert_like(folder, "compiled.pyc:Thing", "bases")


def test_what_differs_is_shown(folder):
    (folder / "x.py").write_text("class A:\n    def m(self, n=1):\n        while 1:\n            self.__n = n\n")
    for target in ("x.py:A", "x.py:A.m", "x:A.m"):
        lines = unjit(folder, "decompile", "--diff", target).stdout.splitlines()
        changed = [line[0] + line[1:].strip() for line in lines if line[0] in "+-" and line[:3] not in ("---", "+++")]
        assert changed == ["-while 1:", "+while True:"]


def test_where_there_is_no_source(folder):
    (folder / "pairs.py").write_text(
        "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\nf, g = lambda: 1, lambda: 2\n"
    )
    assert "Pair.__new__ has no source to compare with" in refusal(folder, "decompile", "--diff", "pairs:Pair.__new__")
    without_columns = {"PYTHONNODEBUGRANGES": "1"}
    said = refusal(folder, "decompile", "--diff", "pairs:f", env=without_columns)
    assert "begins 2 that are called <lambda>" in said
    py_compile.compile(str(folder / "things.py"), str(folder / "compiled.pyc"), doraise=True)
    (folder / "things.py").write_text(f"\n{TEXT}")
    said = refusal(folder, "decompile", "--diff", "compiled.pyc:Thing")
    assert "compiled.pyc:Thing has no source to compare with: in line 11 of " in said
    assert "things.py begins nothing that is called Thing" in said


def test_what_came_in_by_standard_input(folder):
    done = subprocess.run(
        [sys.executable, "-m", "unjit", "decompile", "--diff", "-"],
        input="while 1: f()\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "-while 1:" in done.stdout.splitlines()
