"""What is written at the end of a run: what was recorded, to which stream, and in which words."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from commands import unjit
from unjit.cli.in_program import conclude as ending
from unjit.starting.options import Options


@dataclass
class Run:
    """What boot/sitecustomize.py leaves."""

    options: str
    recording: object = None
    errors: list[str] = field(default_factory=list)
    process: int = field(default_factory=os.getpid)


def add_one(x):
    torch._dynamo.graph_break()
    return x + 1


def concluded(recorder, capfd, errors=(), stdout=..., **options):
    """What is written to stdout and stderr at the end of a run with these options; `stdout` is the program's own."""
    with capfd.disabled():  # which puts back the stdout of the tests
        streams, programs = (sys.__stdout__, sys.__stderr__), sys.stdout
    sys.__stdout__, sys.__stderr__ = (os.fdopen(os.dup(fd), "w") for fd in (1, 2))  # those that capfd took over
    try:
        sys.stdout = programs if stdout is ... else stdout
        ending.conclude(Run(Options(**options).dump(), recorder, list(errors)))
    finally:
        (sys.__stdout__, sys.__stderr__), sys.stdout = streams, programs
    return capfd.readouterr()


@pytest.mark.smoke
def test_the_lines_and_the_details(recorder, capfd):
    torch.compile(add_one, backend="eager")(torch.ones(2))
    out, error = concluded(recorder, capfd)
    assert out == ""
    assert error.startswith("unjit: Dynamo saw 2 functions, 2 compiles")
    assert "test_cli_conclude.py" in error
    assert error.endswith("--json [FILE]\n")
    assert "add_one is a function optimised by Dynamo" in concluded(recorder, capfd, verbose=True)[1]
    assert "add_one is a function optimised by Dynamo" in concluded(recorder, capfd, only="add_one")[1]
    assert "no function is called 'x'" in concluded(recorder, capfd, only="x")[1]


@pytest.mark.parametrize("stdout", [None, object()])
def test_a_stdout_of_the_programs_own_that_cannot_be_flushed_costs_nothing(stdout, recorder, capfd):
    torch.compile(add_one, backend="eager")(torch.ones(2))
    assert concluded(recorder, capfd, stdout=stdout)[1].startswith("unjit: Dynamo saw 2 functions, 2 compiles")


def test_json(recorder, capfd, tmp_path):
    torch.compile(add_one, backend="eager")(torch.ones(2))
    out, error = concluded(recorder, capfd, json_file="-")
    assert json.loads(out)["functions"][0]["key"] == "add_one"
    file = tmp_path / "x.json"
    out, error = concluded(recorder, capfd, json_file=str(file))
    assert (out, json.loads(file.read_text())["reader"]) == ("", "events")
    assert error.endswith(f"unjit: everything as JSON: {file}\n")
    assert "cannot write" in concluded(recorder, capfd, json_file=str(tmp_path))[1]


@pytest.mark.parametrize(
    ("written", "losses", "says"),
    [
        ([], [], ["unjit: nothing could be written to {own}"]),
        (["functions"], ["x could not be written"], ["unjit: not everything could be written to {own}"]),
        (["index.md"], [], ["unjit: everything that torch made on this rank: {own}/index.md", "{together}"]),
        (
            ["index.md"],
            ["x could not be written"],
            [
                "unjit: a part of what torch made on this rank, for not everything could be kept: {own}/index.md",
                "{together}",
            ],
        ),
    ],
)
def test_a_rank_names_no_file_that_it_could_not_write(written, losses, says, tmp_path):
    own = tmp_path / "processes" / "rank_0"
    for name in written:
        (own / name).mkdir(parents=True)
    together = f"unjit: all ranks together: unjit merge {tmp_path}"
    expected = [line.format(own=own, together=together) for line in says]
    assert ending.where_to_begin(str(tmp_path), own, losses) == expected


def test_nothing_to_explain(recorder, capfd, monkeypatch):
    monkeypatch.setattr(ending, "program_began", lambda: True)  # a worker of pytest-xdist has no program
    assert concluded(recorder, capfd)[1].startswith(
        "unjit: nothing to explain: the program compiled nothing with torch.compile"
    )
    out, error = concluded(None, capfd, json_file="-", errors=["the recorder did not start: x"])
    assert error.startswith("unjit: the recorder did not start: x\nunjit: nothing to explain")
    assert json.loads(out)["functions"] == []


def test_live_state_that_cannot_be_read_costs_only_itself(recorder, capfd, monkeypatch):
    def fail(*_):
        raise RuntimeError("unreadable")

    torch.compile(add_one, backend="eager")(torch.ones(2))
    monkeypatch.setattr("unjit.observe.live.report.read", fail)
    error = concluded(recorder, capfd)[1]
    assert "! live state could not be read: RuntimeError: unreadable" in error
    assert "add_one" in error
    assert "torch._dynamo.graph_break()" in error


@pytest.mark.parametrize("text", ["plain", "größer → ∞", "\udce4"])
def test_streams_of_any_encoding(text, tmp_path):
    for encoding in ("utf-8", "ascii", "latin-1"):
        with (tmp_path / encoding).open("w", encoding=encoding) as stream:
            ending.write(stream, text)
        assert (tmp_path / encoding).read_bytes()


def test_streams_that_cannot_be_written_are_left_alone():
    ending.write(None, "x")
    closed = io.StringIO()
    closed.close()
    ending.write(closed, "x")
    with Path("/dev/full").open("w") as full:
        ending.write(full, "x")


CUT_SHORT = """
import os, torch, unjit.cli.in_program.conclude as ending

def cut_short(run):
    raise KeyboardInterrupt

ending.conclude = cut_short
file = os.open("data", os.O_CREAT | os.O_WRONLY)  # becomes 2 where stderr is closed
os.write(file, b"of the program")
"""


def test_that_it_was_cut_short_is_told_to_stderr_alone(tmp_path):
    (tmp_path / "program.py").write_text(CUT_SHORT)
    told = unjit(tmp_path, "run", "program.py")
    assert (told.returncode, told.stderr) == (0, "unjit: the explanation ended early: KeyboardInterrupt\n")
    closed = unjit(tmp_path, "run", "program.py", stderr=None, preexec_fn=lambda: os.close(2))
    assert closed.returncode == 0
    assert (tmp_path / "data").read_text() == "of the program"
