"""`unjit decompile`: files, modules and functions, what the options print, and one sentence for what cannot be read."""

from __future__ import annotations

import dis
import importlib.util
import io
import marshal
import py_compile
import re
import subprocess
import sys

import pytest

from unjit.bytecode import BytecodeError
from unjit.bytecode.pyc import code_of_pyc
from unjit.cli import main

TEXT = '''"""Counts."""
import sys


class Counter:
    total: int = 0

    def add(self, n=1):  # a comment
        self.total += n
        return self.total


print("this file was run")
sys.exit(3)
'''


def refused(arguments, capsys):
    """The one sentence that ends a request with status 2."""
    assert main(["decompile", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "counting.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def compiled(file):
    """The compiled file, whose source is gone."""
    path = file.with_suffix(".pyc")
    py_compile.compile(str(file), str(path), doraise=True)
    file.unlink()
    return path


@pytest.mark.smoke
def test_decompile_prints_the_verdict_and_valid_python(capsys):
    assert main(["decompile", "json.decoder:JSONDecoder.decode"]) == 0
    text = capsys.readouterr().out
    first, _, source = text.partition("\n")
    assert first.startswith("# json.decoder:JSONDecoder.decode: ")
    assert any(verdict in first for verdict in ("identical", "equivalent", "opaque"))
    compile(source, "answer", "exec")


def test_decompile_finds_modules_in_the_current_folder(tmp_path):
    (tmp_path / "mine.py").write_text("class A:\n    @property\n    def p(self): return 1\n    b = staticmethod(len)\n")
    command = [sys.executable, "-P"] if sys.version_info >= (3, 11) else [sys.executable]
    done = subprocess.run(
        [*command, "-m", "unjit", "decompile", "mine:A.p"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "return 1" in done.stdout


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("jsonn", "no file and no module"),
        ("json.nothing", "no file and no module"),
        ("a b", "no file and no module"),
        ("math", "no Python bytecode"),
        ("sys", "no Python bytecode"),
        (":f", "module:qualname"),
        ("json:", "module:qualname"),
        ("no_such_module:f", "No module named"),
        ("json:nothing", "json has no 'nothing'\n"),
        ("json:dumps.nothing", "there is no 'nothing'"),
        ("os:getpid", "no Python bytecode"),
        ("math:pi", "no Python bytecode"),
        ("..:x", "module:qualname"),
        ("this_module_exits:f", "cannot import"),
    ],
)
def test_decompile_refuses_in_one_sentence(target, words, capsys, tmp_path, monkeypatch):
    (tmp_path / "this_module_exits.py").write_text("raise ValueError('no')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert words in refused([target], capsys)


def shown(arguments, capsys, status=0):
    assert main(["decompile", *map(str, arguments)]) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_a_source_file_is_read_and_not_run(file, capsys):
    text = shown([file], capsys)
    first, _, source = text.partition("\n")
    assert first == f"# {file}: identical"
    assert source.strip() == TEXT.replace("  # a comment", "").replace('"this', "'this").replace('run"', "run'").strip()


def test_a_compiled_file_is_read_and_not_run(compiled, capsys):
    text = shown([compiled], capsys)
    assert text.startswith(f"# {compiled}: identical\n")
    assert "class Counter:" in text


def test_standard_input(file, capsys, monkeypatch):
    for data in (TEXT.encode(), b"x = 1\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert shown(["-"], capsys).startswith("# standard input: identical\n")


def test_a_function_in_a_file(file, capsys):
    assert "return self.total" in shown([f"{file}:Counter.add"], capsys)
    assert "there is no 'nothing'" in refused([f"{file}:Counter.nothing"], capsys)


def test_a_module_is_found_without_importing_it_or_its_packages(tmp_path, capsys, monkeypatch):
    package = tmp_path / "loud_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "part.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    assert "class Counter:" in shown(["loud_package.part"], capsys)
    assert "raise SystemExit" in shown(["loud_package"], capsys)


def test_verify_has_one_line_for_each_function_and_class(file, capsys):
    lines = shown([file, "--verify"], capsys).splitlines()
    method = "add" if sys.version_info < (3, 11) else "Counter.add"
    assert [line.split()[-1] for line in lines[:-1]] == ["<module>", "Counter", method]
    assert lines[-1] == "3 identical"


def test_diff_shows_what_is_written_differently(file, capsys):
    assert shown([file, "--diff"], capsys) == ""
    file.write_text("while 1:\n    x = (1 + 1)\n")
    changed = [line for line in shown([file, "--diff"], capsys).splitlines() if line[:2] in ("- ", "+ ", "-w", "+w")]
    assert changed == ["-while 1:", "-    x = 1 + 1", "+while True:", "+    x = 2"]


def test_diff_needs_the_source(compiled, capsys):
    assert "no source to compare with" in refused([str(compiled), "--diff"], capsys)


def test_after_a_pass(file, capsys):
    assert "LOAD_CONST" in shown([file, "--after", "decode"], capsys)
    assert "B0@0() []" in shown([file, "--after", "fold_conditions:2"], capsys)
    assert "AugAssign(Attribute(self, 'total')" in shown([f"{file}:Counter.add", "--after", "structure"], capsys)
    error = refused([str(file), "--after", "nonsense"], capsys)
    assert "decode, build_graph" in error
    assert {"recover_patterns", "count_uses", "join_cases"} <= set(re.findall(r"\w+", error))


# ---------------------------------------------------------------- files that cannot be read
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[:9], "truncated"),
        (lambda data: data[:16], "truncated"),
        (lambda data: data[:-40], "truncated"),
        (lambda data: (3425).to_bytes(2, "little") + data[2:], "compiled by Python 3.9"),
        (lambda data: b"\xff\xff" + data[2:], "magic number 65535"),
        (lambda data: data[:4] + b"\xff" + data[5:], "flags that do not exist"),
        (lambda data: data[:16] + b"\xfe" + data[17:], "corrupt"),
        (lambda data: data[:16] + marshal.dumps("text"), "no code"),
        (lambda data: b"junk" + data[4:], "does not start as a .pyc"),
        (lambda _: b"", "does not start as a .pyc"),
    ],
)
def test_what_is_wrong_with_a_compiled_file(compiled, change, words, capsys):
    compiled.write_bytes(change(compiled.read_bytes()))
    assert words in refused([str(compiled)], capsys)


def test_files_that_do_not_compile_or_do_not_exist(tmp_path, capsys):
    path = tmp_path / "bad.py"
    path.write_text("def f(:\n")
    assert "does not compile" in refused([str(path)], capsys)
    path.write_bytes(b"x = '\0'")
    assert "does not compile" in refused([str(path)], capsys)
    assert "cannot read" in refused([str(tmp_path / "none.py")], capsys)
    assert "cannot read" in refused([str(tmp_path / "none.pyc")], capsys)


def test_bytecode_that_python_would_refuse(compiled, capsys):
    code = code_of_pyc(compiled.read_bytes())
    jump = dis.opmap["JUMP_FORWARD"]
    broken = code.replace(co_code=code.co_code[:-2] + bytes([jump, 200]))
    compiled.write_bytes(compiled.read_bytes()[:16] + marshal.dumps(broken))
    assert "where no instruction starts" in refused([str(compiled)], capsys)


def test_the_file_in_the_cache_of_a_module(file, capsys):
    cached = importlib.util.cache_from_source(str(file))
    py_compile.compile(str(file), cached, doraise=True)
    assert shown([cached, "--diff"], capsys) == ""


def test_the_sentences_are_the_librarys(compiled):
    with pytest.raises(BytecodeError, match="truncated"):
        code_of_pyc(compiled.read_bytes()[:30])
