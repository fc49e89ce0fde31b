"""`unjit run --out`: every artifact of torch's own trace is in the directory, and two runs give the same directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import unjit
from captured_runs import contents, missing, run
from judge import PROGRAMS, SHARED, UNJIT
from toys import needs_compiler

needs_shared = pytest.mark.skipif(not (SHARED / "models").exists(), reason="../shared is not beside the repository")


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=needs_compiler)])
def test_all_of_torchs_trace_is_there(backend, tmp_path):
    trace = tmp_path / "trace"
    cache = str(tmp_path / "cache")
    run(tmp_path / "out", "toy.py", backend, TORCH_TRACE=str(trace), TORCHINDUCTOR_CACHE_DIR=cache)
    assert list(missing(tmp_path / "out", trace)) == []
    for file in (tmp_path / "out").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")


@pytest.mark.parametrize("backend", ["eager", pytest.param("inductor", marks=[needs_compiler, pytest.mark.slow])])
def test_two_runs_give_the_same_directory(backend, tmp_path):
    for name in ("one", "two"):
        run(tmp_path / name, "toy.py", backend, TORCHINDUCTOR_CACHE_DIR=str(tmp_path / f"cache_{name}"))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@needs_shared
@pytest.mark.parametrize("how", ["plain", "breaks"])
def test_gpt2(how, tmp_path):
    trace = tmp_path / "trace"
    models = str(SHARED / "models")
    watched = run(tmp_path / "out", "models_once.py", models, how, "gpt2", TORCH_TRACE=str(trace))
    alone = [sys.executable, str(PROGRAMS / "models_once.py"), models, how, "gpt2"]
    assert watched.stdout == subprocess.run(alone, capture_output=True, text=True, check=True).stdout
    assert list(missing(tmp_path / "out", trace)) == []
    captured = unjit.load(tmp_path / "out")
    assert captured.losses == ()
    assert len(captured.compiles) > (10 if how == "breaks" else 0)
    for file in (tmp_path / "out").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")


def test_a_directory_in_use_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("dear")
    command = [sys.executable, "-m", "unjit", "run", "--out", str(tmp_path), str(PROGRAMS / "toy.py"), "eager"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is not empty" in done.stderr


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize(("module", "folder"), [("awkward", SHARED / "models"), ("more_awkward", PROGRAMS)])
def test_awkward_functions_do_the_same(module, folder, tmp_path):
    watched = run(tmp_path / "out", "awkward_cases.py", module, str(folder))
    alone = [sys.executable, str(PROGRAMS / "awkward_cases.py"), module, str(folder)]
    assert watched.stdout == subprocess.run(alone, capture_output=True, text=True, check=True).stdout
    assert unjit.load(tmp_path / "out").losses == ()
    for file in (tmp_path / "out").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")


@needs_compiler
def test_what_a_cache_brings_back_is_left_out(tmp_path):
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("cold", "warm"):
        run(tmp_path / name, "toy.py", "inductor", **cache)
    cold, warm = unjit.load(tmp_path / "cold"), unjit.load(tmp_path / "warm")
    for captured, result in ((cold, "miss"), (warm, "hit")):
        found = {(one.cache, one.result) for one in captured.compiles[0].caches}
        assert found == {("AOTAutograd", result), ("FX graph", result)}
    for name in ("joint", "forward", "backward", "forward_post_grad_after", "backward_runnable"):
        assert isinstance(cold.text("toy", 0, name), str)
        assert "filled by another compile" in warm.text("toy", 0, name).reason
        assert not (tmp_path / "warm" / "functions" / "toy" / "compile_0" / f"{name}.py").exists()
    code = warm.text("toy", 0, "forward_output_code")
    assert "def call(self, args):" in code
    assert "Source Nodes" not in code
    assert code.count("\n") == cold.text("toy", 0, "forward_output_code").count("\n")
    assert "cache hit" in (tmp_path / "warm" / "index.md").read_text()


@needs_compiler
def test_with_fresh_nothing_comes_out_of_a_cache(tmp_path):
    mine = tmp_path / "cache"
    mine.mkdir()
    folders = tmp_path / "temporary"
    folders.mkdir()
    for name in ("one", "two"):
        variables = {"TORCHINDUCTOR_CACHE_DIR": str(mine), "TMPDIR": str(folders)}
        run(tmp_path / name, "toy.py", "inductor", options=("--fresh",), **variables)
        captured = unjit.load(tmp_path / name)
        assert {one.result for compile_ in captured.compiles for one in compile_.caches} == {"miss"}
        assert isinstance(captured.text("toy", 0, "forward_provenance"), str)
        assert all(kernel.captured for kernel in captured.compiles[0].kernels if kernel.language == "C++")
    assert [*mine.iterdir()] == [], "the user's cache stays as it is"
    assert [file.name for file in folders.iterdir() if "unjit" in file.name] == [], "nothing is left behind"


def test_the_variable_is_enough(tmp_path):
    script = "import unjit, torch; torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))"
    environment = {**os.environ, "UNJIT_OUT": str(tmp_path / "out")}
    for _ in range(2):
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "not empty" in done.stderr
    captured = unjit.load(tmp_path / "out")
    assert captured.data.finished
    assert [function.key for function in captured.functions] == ["lambda_"]
    assert captured.functions[0].entries


def test_an_interrupt_ends_the_program_as_without_the_variable(tmp_path):
    script = "import unjit, torch; torch.compile(torch.sin, backend='eager')(torch.ones(2)); raise KeyboardInterrupt"
    environment = {**os.environ, "UNJIT_OUT": str(tmp_path / "out")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert unjit.load(tmp_path / "out").data.run.raised == "KeyboardInterrupt"


def test_ranks_have_folders_of_their_own(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n")
    for rank in ("0", "1"):
        environment = {**os.environ, "RANK": rank, "WORLD_SIZE": "2", "UNJIT_OUT": str(tmp_path / "out")}
        command = [*UNJIT, str(program)]
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    assert sorted(unjit.load(tmp_path / "out").processes) == ["rank_0", "rank_1"]
    assert all(one.compiles for one in unjit.load(tmp_path / "out").processes.values())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder here that even root cannot write to")
def test_a_directory_that_cannot_be_written_is_told_before_the_program_runs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint('the program', file=sys.stderr)\n")
    command = [sys.executable, "-m", "unjit", "run", "--out", "/proc/unjit/out", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    first, second = done.stderr.splitlines()[:2]
    assert first.startswith("unjit: /proc/unjit/out cannot be written to (")
    assert second == "the program"


def test_names_are_the_same_where_the_systems_encoding_cannot_say_them(tmp_path):
    program = tmp_path / "program.py"
    lines = (
        "import torch",
        "@torch.compile(backend='eager')",
        "def naïve(x):",
        "    return x + 1",
        "naïve(torch.ones(2))",
    )
    program.write_text("\n".join(lines))
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run(tmp_path / "out", program, **ascii_alone)
    captured = unjit.load(tmp_path / "out")
    assert captured.losses == ()
    assert [one.path for one in captured.data.compiles] == ["functions/naïve/compile_0"]
    assert (tmp_path / "out" / "functions" / "naïve" / "compile_0" / "transformed.py").exists()
    read = f"import unjit; print(len(unjit.load({str(tmp_path / 'out')!r}).compiles[0].artifacts))"
    environment = {**os.environ, **ascii_alone}
    done = subprocess.run([sys.executable, "-c", read], env=environment, capture_output=True, check=True)
    assert int(done.stdout) == len(captured.compiles[0].artifacts)
