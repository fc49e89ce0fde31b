"""A fault in what unjit calls costs what is known, never what the program computes, and the loss is told."""

from __future__ import annotations

import inspect
import logging
import os
import subprocess
import sys

import pytest
import torch

import unjit
from faulting import TOY, Trials, faults, in_question, judge
from unjit.directory.files import DiskFiles
from unjit.starting import joining

TRACE = logging.getLogger("torch.__trace")


@pytest.fixture(autouse=True)
def reset():
    torch.compile(torch.neg, backend="eager")(
        torch.ones(2)
    )  # torch takes a handler of its own off at the first compile
    torch._dynamo.reset()
    before = state()
    yield
    torch._dynamo.reset()
    assert state() == before, "something was left behind"


def state():
    hooks = torch._dynamo.convert_frame._bytecode_hooks
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return list(TRACE.handlers), list(hooks.values()), environment


def branch(a):
    a = a + 1
    if a.sum() < 0:
        a = -a
    return a * 2


def compiled(size=3):
    function = torch.compile(branch, backend="eager")
    assert function(torch.ones(size)).tolist() == [4.0] * size
    return function


def raising(error, times=1):
    left = [times]

    def fail(original):
        def wrapper(*args, **kwargs):
            if left[0]:
                left[0] -= 1
                raise error
            return original(*args, **kwargs)

        return wrapper

    return fail


def break_once(monkeypatch, owner, name, error=None, times=1):
    monkeypatch.setattr(owner, name, raising(error or RuntimeError("ours"), times)(getattr(owner, name)))


BEGINNING = [(logging.Logger, "addHandler"), (joining, "environment"), (logging.Logger, "setLevel")]


@pytest.mark.parametrize(("owner", "name"), BEGINNING, ids=[name for _, name in BEGINNING])
def test_a_capture_that_cannot_begin_whole_lets_the_block_run(owner, name, tmp_path, monkeypatch):
    session = unjit.capture(tmp_path / "out")
    break_once(monkeypatch, owner, name)
    with session:
        compiled()
    assert any("ours" in loss for loss in session.losses)


def is_interrupted_at_its_end(session, error, monkeypatch):
    """Whether what is raised while the block's listener is taken away leaves the block."""
    try:
        with session:
            compiled()
            break_once(monkeypatch, logging.Logger, "removeHandler", error)
    except KeyboardInterrupt:
        return True
    return False


ERRORS = [RuntimeError("ours"), KeyboardInterrupt("ours")]
AT_THE_END = pytest.mark.parametrize("error", ERRORS, ids=["error", "interrupt"])


@AT_THE_END
def test_what_is_undone_at_the_end_is_undone_all_the_same(error, tmp_path, monkeypatch):
    session = unjit.capture(tmp_path / "out")
    interrupted = is_interrupted_at_its_end(session, error, monkeypatch)
    assert interrupted == isinstance(error, KeyboardInterrupt)
    assert interrupted or any("ours" in loss for loss in session.losses)
    assert len(session.compiles) == 2


@AT_THE_END
def test_the_end_of_debugging_undoes_all_the_same(error, tmp_path, monkeypatch):
    session = unjit.debug(directory=tmp_path, quiet=True)
    interrupted = is_interrupted_at_its_end(session, error, monkeypatch)
    assert interrupted == isinstance(error, KeyboardInterrupt)
    assert interrupted or session.problems == ["RuntimeError: ours"]


def test_debugging_that_cannot_write_lets_the_block_run(tmp_path):
    function, folder = compiled(), tmp_path / "pages"
    session = unjit.debug(function, directory=folder, quiet=True)
    folder.rmdir()
    folder.write_text("a file in its place")
    with session:
        assert function(torch.ones(3)).tolist() == [4.0] * 3
        compiled(4)
    assert any("NotADirectoryError" in problem or "FileExistsError" in problem for problem in session.problems)
    with pytest.raises(unjit.UnjitError, match=r"pages: .+ cannot be written there: .+; pass another"):
        unjit.debug(function, directory=folder)


def test_a_fault_at_the_end_does_not_hide_what_was_recorded(tmp_path, monkeypatch):
    with unjit.capture(tmp_path / "out") as session:
        compiled()
        break_once(monkeypatch, inspect, "getsourcelines")
    assert len(session.functions) == 3
    assert any("ours" in loss for loss in session.losses)
    assert "ours" in (tmp_path / "out" / "index.md").read_text()


def test_generated_code_that_was_not_seen_is_a_loss(tmp_path, monkeypatch):
    with unjit.capture(tmp_path / "out") as session:
        break_once(monkeypatch, torch._dynamo.convert_frame, "register_bytecode_hook")
        compiled()
    assert any("generated code was not seen" in loss and "ours" in loss for loss in session.losses)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_folder_that_is_gone_is_said(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = "import os, unjit\nos.rmdir(os.getcwd())\nunjit.capture(os.environ['ABSOLUTE'])\nunjit.capture('out')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=gone,
        env={**os.environ, "ABSOLUTE": str(tmp_path / "out")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "UnjitError: out cannot be used: there is no current folder" in done.stderr


def test_a_capture_that_the_environment_asks_for_never_keeps_unjit_from_being_imported(tmp_path):
    script = "import logging, pathlib, sys\nlogging.Logger.addHandler = None\nimport unjit\nprint('imported')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "UNJIT_OUT": str(tmp_path / "out")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "imported\n"
    assert done.stderr.startswith("unjit: UNJIT_OUT: TypeError")


REFUSING = """
import atexit
real = atexit.register
def refusing(function, *args, **kwargs):
    if getattr(function, "__name__", "").lstrip("_").startswith("conclude"):
        raise OSError("ours")
    return real(function, *args, **kwargs)
atexit.register = refusing
import torch
print(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).tolist())
"""


@pytest.mark.parametrize(("how", "said"), [("run", "1 compile"), ("UNJIT_OUT", "## lambda\\_")])
def test_an_exit_that_cannot_be_put_first_is_the_one_there_was(how, said, tmp_path):
    """Before weakref's finalizers is better; where that cannot be had, the explanation is not lost."""
    if how == "run":
        (tmp_path / "program.py").write_text(REFUSING)
        command, asked = [sys.executable, "-m", "unjit", "run", "program.py"], {}
    else:
        (tmp_path / "program.py").write_text(f"import unjit\n{REFUSING}")
        command, asked = [sys.executable, "program.py"], {"UNJIT_OUT": str(tmp_path / "out")}
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "[2.0, 2.0]\n")
    told = done.stderr if how == "run" else (tmp_path / "out" / "index.md").read_text()
    assert said in told
    assert "ours" in told


def test_a_resume_function_that_cannot_be_read_is_one_all_the_same(monkeypatch):
    function = compiled()
    with monkeypatch.context() as patched:
        break_once(patched, inspect, "getsourcelines", times=1000)
        found = unjit.explain(function)
    assert "ours" in str(found)
    assert len([one for one in found.functions if one.data.resume]) == 2


def test_a_file_that_cannot_be_removed_is_a_loss(tmp_path, monkeypatch):
    files = DiskFiles(tmp_path)
    files.write("a.txt", "old")
    files.remove("never there")
    assert files.losses == []
    break_once(monkeypatch, os, "remove", OSError(28, "ours"))
    files.remove("a.txt")
    assert files.losses == ["a.txt could not be removed: ours"]


ASKED = [
    (torch._dynamo.utils, "get_compilation_metrics"),
    (torch._C._dynamo.eval_frame, "_debug_get_cache_entry_list"),
    (torch.fx.GraphModule, "print_readable"),
]


@pytest.mark.parametrize(("owner", "name"), ASKED, ids=[name for _, name in ASKED])
def test_what_torch_refuses_to_tell_is_unknown(owner, name, monkeypatch):
    function = compiled()
    with monkeypatch.context() as patched:
        break_once(patched, owner, name, times=1000)
        found = unjit.explain(function)
        assert str(found)
        assert "ours" in found.to_json()
    compiled(4)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["out", "capture", "compare"])
def test_some_of_all_faults(mode, tmp_path):
    """bench/faults.py tries them all."""
    with Trials(tmp_path, mode, TOY) as trials:
        clean = trials.run()
        assert (clean["status"], clean["stdout"].count("\n")) == (0, 7)
        sites = in_question(clean["sites"], mode)
        assert len(sites) > 150
        every = list(faults(sites, ["RuntimeError", "KeyboardInterrupt", *(["SIGKILL"] if mode != "compare" else [])]))
        wrong = {}
        for fault in every[:: len(every) // 9]:
            verdict = judge(clean, trials.run(fault), fault)
            if verdict not in ("ok", "untouched", "not reached"):
                wrong[fault] = verdict
    assert wrong == {}
