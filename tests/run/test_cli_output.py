"""What commands print is written as a whole, or the user is told why not, on every terminal."""

from __future__ import annotations

import ast
import importlib.util
import json
import marshal
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path
from types import CodeType

import pytest

from commands import refusal, unjit

ASCII = pytest.mark.parametrize(
    "terminal",
    [{"env": {"PYTHONIOENCODING": "ascii"}}, {"env": {"LC_ALL": "C"}, "python": ("-X", "utf8=0")}],
    ids=["told", "by locale"],
)
needs_a_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is of Linux")
COMMANDS = (["decompile", "bisect"], ["decompile", "os"], ["--help"], ["--version"], ["schema"])


@needs_a_full_disk
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_disk(tmp_path, arguments):
    with Path("/dev/full").open("w") as full:
        done = unjit(tmp_path, *arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "unjit: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_is_gone(tmp_path, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = unjit(tmp_path, *arguments, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_a_closed_standard_output(tmp_path):
    command = ["sh", "-c", '"$0" -m unjit decompile bisect >&-', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, "unjit: cannot write to standard output: it is closed\n")


# ---------------------------------------------------------------- terminals that know ASCII alone
STRINGS = '''\
"""Größe."""


def f(d):
    # "é" here is no string
    return f"é{d}\\\\é", 'ü"', "\\N{GRINNING FACE}", r"\\é"
'''


@ASCII
def test_strings_have_escapes(tmp_path, terminal):
    (tmp_path / "größe.py").write_text(STRINGS, encoding="utf-8")
    done = unjit(tmp_path, "decompile", "größe.py", **terminal)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert ast.dump(ast.parse(done.stdout)) == ast.dump(ast.parse(STRINGS))


@ASCII
def test_names_have_none(tmp_path, terminal):
    (tmp_path / "named.py").write_text("größe = 1\n", encoding="utf-8")
    said = refusal(tmp_path, "decompile", "named.py", **terminal)
    assert re.search(
        "has characters that (ascii|ANSI_X3.4-1968|US-ASCII), the encoding of standard output, has not", said
    )
    assert said.endswith("set PYTHONIOENCODING=utf-8\n")
    for option in ("--diff", "--verify", "--after=structure"):
        assert unjit(tmp_path, "decompile", "named.py", option, **terminal).returncode == 0
    told = {**terminal, "env": {**terminal["env"], "PYTHONIOENCODING": "utf-8"}}
    assert "größe = 1\n" in unjit(tmp_path, "decompile", "named.py", **told).stdout


@ASCII
def test_help_and_json(tmp_path, terminal):
    assert "torchrun \\u2026 -m unjit run" in unjit(tmp_path, "--help", **terminal).stdout
    (tmp_path / "program.py").write_text("import sys\nprint('ü'.encode())\n", encoding="utf-8")
    lines = unjit(tmp_path, "run", "--json", "program.py", **terminal).stdout.splitlines()
    assert json.loads(lines[-1])["functions"] == []


def test_json_of_what_the_encoding_lacks():
    from unjit.cli.output import json_in

    text = json.dumps({"größe": "\U0001f600 \\ \udcff"}, ensure_ascii=False)
    for encoding in ("ascii", "latin-1", "utf-8"):
        assert json.loads(json_in(encoding, text).encode(encoding)) == json.loads(text)
    assert json_in("utf-8", '"größe"') == json_in(None, '"größe"') == '"größe"'


# ---------------------------------------------------------------- lines that no file has
def in_line(code: CodeType, line: int) -> CodeType:
    """The code, and all code in it, as if each began in this line."""
    consts = tuple(in_line(const, line) if isinstance(const, CodeType) else const for const in code.co_consts)
    return code.replace(co_firstlineno=line, co_consts=consts)


@pytest.mark.parametrize("line", [-1, -(2**31)])
def test_a_compiled_file_that_begins_before_its_first_line(tmp_path, line):
    """Python reads such a file, and refuses to make such code."""
    data = marshal.dumps(in_line(compile("def f(x):\n    return x\n", "away.py", "exec"), 77777))
    data = data.replace(struct.pack("<i", 77777), struct.pack("<i", line))
    (tmp_path / "odd.pyc").write_bytes(importlib.util.MAGIC_NUMBER + bytes(12) + data)
    done = unjit(tmp_path, "decompile", "odd.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "# odd.pyc: identical\ndef f(x):\n    return x\n\n"
    assert f"line {line}" in unjit(tmp_path, "decompile", "odd.pyc", "--verify").stdout
    assert "no source to compare with" in refusal(tmp_path, "decompile", "odd.pyc", "--diff")
