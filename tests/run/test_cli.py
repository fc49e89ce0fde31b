"""The command line: what it says to a newcomer, and one clear sentence for each request that cannot be met."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import unjit
from commands import run
from unjit.cli import main
from unjit.cli.compare import add_to as add_compare
from unjit.cli.run import OPTIONS_WITH_VALUE, split
from unjit.cli.run import add_to as add_run
from unjit.starting.options import Options


def refused(arguments, capsys):
    """The one sentence that ends a request with status 2."""
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert "Traceback" not in captured.err
    return captured.err


@pytest.mark.smoke
def test_version_and_help(capsys):
    for arguments, words in (
        (["--version"], [f"unjit {unjit.__version__}"]),
        (["--help"], ["unjit run train.py", "unjit decompile", "unjit.explain", "without changing the program"]),
        (["run", "--help"], ["--verbose", "--only", "--json", "SCRIPT", "-m MODULE", "-c CODE", "stderr"]),
        (["decompile", "--help"], ["MODULE:QUALNAME", "--verify", "--diff", "--after", "not run"]),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        text = capsys.readouterr().out
        assert ended.value.code == 0
        assert [word for word in words if word not in text] == []


def test_the_options_that_take_a_value_are_known_where_the_program_is_looked_for():
    commands = argparse.ArgumentParser().add_subparsers()
    add_run(commands)
    add_compare(commands)
    options = [option for parser in commands.choices.values() for option in parser._actions]
    assert {name for one in options if one.nargs is None for name in one.option_strings} == set(OPTIONS_WITH_VALUE)


def test_requests_that_make_no_sense(capsys):
    assert "COMMAND" in refused([], capsys)
    assert "which program" in refused(["run"], capsys)
    assert "which program" in refused(["run", "--verbose"], capsys)
    assert "which program" in refused(["run", "-m"], capsys)
    assert "which program" in refused(["run", "-c"], capsys)
    assert "--bad" in refused(["run", "--bad", "x.py"], capsys)
    assert "--verb" in refused(["run", "--verb", "x.py"], capsys)
    assert "invalid choice" in refused(["dance"], capsys)
    assert "unrecognized arguments: --dance" in refused(["--dance"], capsys)
    assert "give a command: unjit --help lists them" in refused([], capsys)


@pytest.mark.parametrize(
    ("line", "ours", "program"),
    [
        ("x.py", "", "x.py"),
        ("x.py --verbose", "", "x.py --verbose"),
        ("--verbose x.py -m y", "--verbose", "x.py -m y"),
        ("-m a.b --only f", "", "-m a.b --only f"),
        ("-v -ma.b", "-v", "-ma.b"),
        ("--only f x.py", "--only f", "x.py"),
        ("--only=f x.py", "--only=f", "x.py"),
        ("--json x.py", "--json", "x.py"),
        ("--json out.json x.py", "--json out.json", "x.py"),
        ("--json=out x.py", "--json=out", "x.py"),
        ("--json -m a", "--json", "-m a"),
        ("--json out.json --only f -m a out.json", "--json out.json --only f", "-m a out.json"),
        ("-- -odd.py x", "", "-odd.py x"),
        ("- x", "", "- x"),
        ("--only", "--only", ""),
        ("", "", ""),
    ],
)
def test_where_the_program_begins(line, ours, program):
    assert split(line.split()) == (ours.split(), program.split())


def test_options_travel_as_one_string():
    options = Options(verbose=True, only="größe 'x'", json_file="/a b")
    assert Options.load(options.dump()) == options


COMPILES = """
import torch
def f(x):
    torch._dynamo.graph_break()
    return x + 1
def g(x): return x - 1
print(torch.compile(f, backend="eager")(torch.ones(2)).tolist())
torch.compile(g, backend="eager")(torch.ones(2))
"""


@pytest.mark.smoke
def test_run_explains_on_stderr_and_leaves_stdout_alone(tmp_path):
    done = run(tmp_path, COMPILES)
    assert (done.returncode, done.stdout) == (0, "[2.0, 2.0]\n")
    lines = done.stderr[done.stderr.index("unjit: ") :].splitlines()  # torch built for GPUs warns on machines without
    assert lines[0].startswith("unjit: Dynamo saw 3 functions, 3 compiles")
    assert "1 graph break" in lines[0]
    assert [line.split()[0] for line in lines[1:4]] == ["f", "f_resumes_at_4", "g"]
    assert any("program.py:4 in f: torch._dynamo.graph_break()" in line for line in lines)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.py"]


def test_run_verbose_and_only(tmp_path):
    verbose = run(tmp_path, COMPILES, "--verbose").stderr
    assert "g is a function optimised by Dynamo" in verbose
    assert "f is a function optimised by Dynamo" in verbose
    only = run(tmp_path, COMPILES, "--only", "f").stderr
    assert "f is a function optimised by Dynamo" in only
    assert "f_resumes_at_4 is the rest of f" in only
    assert "g is a function" not in only
    missing = run(tmp_path, COMPILES, "--only", "h").stderr
    assert "no function is called 'h'; there are: f, f_resumes_at_4, g" in missing


WRAPPED = """
import torch
class Average:
    @torch.no_grad()
    def update(self, x):
        return x * 2
torch.compile(Average().update, backend="eager")(torch.ones(2))
"""


def test_what_a_wrapper_is_around_is_asked_by_its_own_name(tmp_path):
    """Torch compiles such a method through a wrapper of its own, whose name nobody knows who wrote the program."""
    for name in ("update", "Average.update"):
        assert "inner is a function optimised by Dynamo" in run(tmp_path, WRAPPED, "--only", name).stderr
    missing = run(tmp_path, WRAPPED, "--only", "other").stderr
    assert "there are: inner (torch's wrapper around Average.update)" in missing


def test_run_json_to_a_file_and_to_stdout(tmp_path):
    done = run(tmp_path, "import os; os.chdir('/')\n" + COMPILES, "--json", "out.json")
    assert done.stdout == "[2.0, 2.0]\n"
    data = json.loads((tmp_path / "out.json").read_text())
    assert [function["key"] for function in data["functions"]] == ["f", "f_resumes_at_5", "g"]
    on_stdout = run(tmp_path, COMPILES, "--json").stdout.splitlines()
    assert on_stdout[0] == "[2.0, 2.0]"
    assert json.loads(on_stdout[1])["schema"] == data["schema"]
    assert len(on_stdout) == 2


def test_run_json_that_cannot_be_written(tmp_path):
    done = run(tmp_path, COMPILES, "--json", "no/such/folder.json")
    assert done.returncode == 0
    assert "unjit: cannot write" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("ending", "status"), [("1 / 0", 1), ("raise SystemExit('x')", 1), ("import sys; sys.exit(9)", 9)]
)
def test_run_shows_what_was_recorded_when_the_program_fails(tmp_path, ending, status):
    done = run(tmp_path, COMPILES + ending)
    assert done.returncode == status
    assert "unjit: Dynamo saw 3 functions" in done.stderr
    assert not re.search('File ".*site-packages/torch', done.stderr)


def test_run_of_a_program_without_torch_imports_none(tmp_path):
    done = run(tmp_path, "import sys, atexit\natexit.register(lambda: print('torch' in sys.modules))\n")
    assert done.stderr == "unjit: nothing to explain: the program did not import torch\n"
    assert done.stdout == "False\n"
    empty = json.loads(run(tmp_path, "pass", "--json").stdout)
    assert (empty["functions"], empty["losses"]) == ([], ["the program did not import torch"])


def test_run_of_a_program_that_compiles_nothing(tmp_path):
    done = run(tmp_path, "import torch\n")
    assert done.stderr == "unjit: nothing to explain: the program compiled nothing with torch.compile\n"


def test_run_of_a_program_that_compiles_a_module_of_torchs_own_in_place(tmp_path):
    done = run(tmp_path, "import torch\nm = torch.nn.Linear(2, 2)\nm.compile(backend='eager')\nm(torch.ones(2))\n")
    assert "nothing to explain: the program compiled nothing with torch.compile: what that returned" in done.stderr
    assert "module.compile()" in done.stderr


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("raise ImportError('torch is broken')", "nothing to explain"),
        ("__version__ = '1.13.1'", "torch 1.13 is too old to be explained; 2.6 is the oldest that can be"),
        ("__version__ = None", "compiled nothing"),
    ],
)
def test_run_with_a_torch_that_is_no_use(tmp_path, module, words):
    (tmp_path / "torch.py").write_text(module)
    done = run(tmp_path, "try:\n    import torch\nexcept ImportError: print('no torch')\n")
    assert done.returncode == 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_run_without_torch_installed(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    environment = {**os.environ, "PYTHONPATH": str(Path(unjit.__file__).parents[1])}
    command = [tmp_path / "bare" / "bin" / "python", "-m", "unjit", "run", "p.py"]
    (tmp_path / "p.py").write_text("try:\n    import torch\nexcept ImportError:\n    print('none')\n")
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "none\n")
    assert done.stderr == "unjit: nothing to explain: torch is not installed in this Python\n"


def test_run_survives_a_program_that_breaks_imports(tmp_path):
    done = run(tmp_path, COMPILES + "import sys\nsys.meta_path.clear()\nsys.path[:] = []\nsys.modules.pop('json')\n")
    assert "unjit: Dynamo saw 3 functions" in done.stderr


def test_run_survives_a_forked_child_that_compiles(tmp_path):
    done = run(
        tmp_path,
        COMPILES
        + "import os\nchild = os.fork()\n"
        + "torch.compile(lambda x: x * 3, backend='eager')(torch.ones(2))\n"
        + "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else 'child', flush=True)\n",
    )
    assert done.returncode == 0
    assert done.stderr.count("unjit: Dynamo saw") == 1
    assert "child\n" in done.stdout
    assert done.stdout.endswith("0\n")


def test_run_explains_what_threads_compiled(tmp_path):
    late = (
        "import threading, time\ndef late():\n    time.sleep(0.5)\n    torch.compile(lambda x: x * 3, backend='eager')"
    )
    done = run(tmp_path, COMPILES + late + "(torch.ones(2))\nthreading.Thread(target=late).start()\n")
    assert "unjit: Dynamo saw 4 functions" in done.stderr


def test_run_with_torch_log_configuration_of_the_program(tmp_path):
    quiet = "import logging.config\nlogging.disable(logging.CRITICAL)\nlogging.config.dictConfig({'version': 1})\n"
    done = run(tmp_path, "import torch\n" + quiet + COMPILES)
    assert done.stdout == "[2.0, 2.0]\n"
    assert "unjit: Dynamo saw" in done.stderr
    assert "compiles may be missing" in done.stderr


@pytest.mark.parametrize("arguments", [["run", "-q", "1"], ["show", "out", "other"], ["summary", "out", "--short"]])
def test_arguments_that_a_command_does_not_have_are_told_with_its_usage(arguments, capsys):
    said = refused(arguments, capsys)
    assert said.startswith(f"usage: unjit {arguments[0]} ")
    assert f"unjit {arguments[0]}: error: unrecognized arguments: " in said
