"""What `unjit decompile` finds by a name, and what it says where there is nothing, in processes as a user starts them.

Reading runs nothing: whatever a file of these tests prints or raises would be seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from commands import refusal, unjit

LOUD = 'print("this was run")\n\n\ndef f(x):\n    return x\n'


def source_of(folder, target, **how):
    """What it printed below the verdict."""
    done = unjit(folder, "decompile", target, **how)
    assert (done.returncode, done.stderr) == (0, "")
    verdict, _, source = done.stdout.partition("\n")
    assert verdict == f"# {target}: identical"
    return source


def refused(folder, target, **how):
    """The one sentence that it ended with."""
    said = refusal(folder, "decompile", target, **how)
    assert said.startswith("unjit decompile: ")
    return said


@pytest.fixture
def folder(tmp_path):
    """With a file that says so when it is run."""
    (tmp_path / "runs.py").write_text(LOUD)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("runs.py:f:g", "more than one colon"),
        ("runs.py:", "file:qualname or module:qualname"),
        ("runs:", "file:qualname or module:qualname"),
        ("runs:f.<locals>.g", "file:qualname or module:qualname"),
        ("runs.txt:f", "no file and no module 'runs.txt'"),
        ("runs.txt", "no file and no module 'runs.txt'"),
        ("runs.py:f.g", "there is no 'g'"),
    ],
)
def test_what_names_nothing_is_not_run(folder, target, words):
    assert words in refused(folder, target)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("class Odd(BaseException):\n    def __str__(self): return 1 / 0\nraise Odd", "Odd: <exception str() failed>"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
    ],
)
def test_a_module_that_cannot_be_imported(folder, ending, words):
    (folder / "ends.py").write_text(f"def f(x): return x\n{ending}\n")
    said = refused(folder, "ends:f")
    assert f"cannot import ends: {words}; unjit decompile " in said
    assert said.endswith("ends.py:QUALNAME reads the file and does not run it\n")
    assert source_of(folder, "ends.py:f") == "def f(x):\n    return x\n\n"


def test_what_cannot_be_got_of_a_module(folder):
    (folder / "raises.py").write_text("def __getattr__(name): raise OSError('not here')\n")
    assert "cannot get 'f' of raises: OSError: not here" in refused(folder, "raises:f")


def test_modules_in_packages_without_init(folder):
    (folder / "around" / "inner").mkdir(parents=True)
    (folder / "around" / "runs.py").write_text(LOUD)
    (folder / "around" / "inner" / "runs.py").write_text(LOUD)
    assert "def f(x):" in source_of(folder, "around.runs")
    assert "def f(x):" in source_of(folder, "around.inner.runs")
    assert f"as {Path('around') / 'runs.py'}, or a module" in refused(folder, "around/")
    assert "a folder without __init__.py, which has no code" in refused(folder, "around")
    (folder / "math").mkdir()
    assert "written in C" in refused(folder, "math")


def test_folders(folder):
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text(LOUD)
    (folder / "package" / "a.py").write_text("")
    assert "def f(x):" in source_of(folder, "package")
    assert f"package/ is a folder: name a file in it, as {Path('package') / '__init__.py'}" in refused(
        folder, "package/"
    )
    (folder / "package" / "empty").mkdir()
    assert "is a folder: name a file in it, or a module" in refused(folder, "package/empty")


def test_a_module_in_a_zip_file(folder):
    with zipfile.ZipFile(folder / "all.zip", "w") as file:
        file.writestr("zipped/__init__.py", LOUD)
        file.writestr("zipped/part.py", LOUD)
        file.writestr("zipped/bad.py", "def f(:\n")
    for target in ("zipped", "zipped.part"):
        assert "def f(x):" in source_of(folder, target, path=[folder / "all.zip"])
    assert "cannot read zipped.bad from" in refused(folder, "zipped.bad", path=[folder / "all.zip"])
    assert "all.zip is a zip file: put it on PYTHONPATH" in refused(folder, "all.zip")


def test_modules_of_another_name_and_in_the_interpreter(folder):
    assert "def join(a, *p):" in source_of(folder, "os.path")
    assert "def _find_and_load(" in source_of(folder, "_frozen_importlib")
    assert "sys is built into Python, written in C" in refused(folder, "sys")
    assert "has no Python bytecode" in refused(folder, "math")


def test_standard_input_that_cannot_be_read(folder):
    closed = ["sh", "-c", '"$0" -m unjit decompile - <&-', sys.executable]
    done = subprocess.run(closed, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "unjit decompile: cannot read standard input: it is closed\n"
    with Path(os.devnull).open("w") as for_writing:
        assert "cannot read standard input: " in refused(folder, "-", stdin=for_writing)


def test_of_what_torch_compile_returned_it_is_said_where_the_function_is(folder):
    pytest.importorskip("torch")
    text = "import torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n    return x + 1\n"
    (folder / "compiles.py").write_text(text)
    done = unjit(folder, "decompile", "compiles:f")
    assert done.returncode == 0
    assert "torch.compile returned compiles:f: the function is compiles:f.__wrapped__" in done.stderr
    assert source_of(folder, "compiles:f.__wrapped__") == "def f(x):\n    return x + 1\n\n"
