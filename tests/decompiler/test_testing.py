"""Modules run from decompiled source: by the import hook, and in a process that never imports unjit."""

from __future__ import annotations

import inspect
import json
import linecache
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from unjit.decompiler import Verdict
from unjit.testing import round_trip, save, stored

TEXT = '''"""A module."""


class Greeter:  # says hello
    def __init__(self, name):
        self.__name = name

    def greet(self):
        return f"hello {self.__name}"


def fail():
    # on purpose
    return 1 / 0
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    package = tmp_path / "greeting_package"
    package.mkdir()
    (package / "__init__.py").write_text("from greeting_package.inner import Greeter\n")
    (package / "inner.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("greeting_package")]:
        del sys.modules[name]


def test_modules_whose_names_match_go_through_the_decompiler(folder):
    with round_trip("greeting_package.*") as trip:
        import greeting_package

    assert greeting_package.Greeter("you").greet() == "hello you"
    assert list(trip.answers) == ["greeting_package.inner"]
    assert trip.answers["greeting_package.inner"].verdict is Verdict.IDENTICAL
    assert trip not in sys.meta_path
    assert greeting_package.inner.__file__ == str(folder / "greeting_package" / "inner.py")


def test_source_and_tracebacks_show_the_decompiled_text(folder):
    with round_trip("greeting_package*"):
        from greeting_package import inner

    assert inspect.getsource(inner.fail) == "def fail():\n    return 1 / 0\n"
    with pytest.raises(ZeroDivisionError) as raised:
        inner.fail()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == "return 1 / 0"
    assert inner.__loader__.get_source("greeting_package.inner") == "".join(linecache.getlines(inner.__file__))


def test_what_was_imported_before_is_left_alone(folder):
    import greeting_package

    with round_trip("greeting_package*", "math") as trip:
        import math

        import greeting_package as again

    assert again is greeting_package
    assert math.pi > 3
    assert trip.answers == {}


def test_a_process_that_starts_from_stored_modules(folder):
    """`re` is imported before any hook of unjit's could be: here it runs from decompiled source too."""
    import re

    kept = folder / "kept"
    test = folder / "test_greeting.py"
    test.write_text(
        "import re, unittest\n"
        "from greeting_package.inner import Greeter\n"
        "class T(unittest.TestCase):\n"
        "    def test_greets(self): self.assertTrue(re.match('hello', Greeter('x').greet()))\n"
        "    def test_fails(self): self.assertTrue(False)\n"
    )
    save("greeting_package.inner", folder / "greeting_package" / "inner.py", kept)
    parser = re._parser if sys.version_info >= (3, 11) else sys.modules["sre_parse"]
    save(parser.__name__, Path(parser.__file__), kept)
    result = folder / "result.json"
    command = [sys.executable, stored.__file__, str(kept), "test_greeting", str(result)]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, timeout=120, check=False
    )
    found = json.loads(result.read_text())
    assert (found["ran"], found["skipped"], len(found["bad"])) == (2, 0, 1), done.stderr
    assert found["bad"][0][0].startswith("test_fails")
    assert found["through"] == sorted(["greeting_package.inner", parser.__name__])
