"""`unjit.debug`: the same results, files that belong together, and nothing left behind."""

from __future__ import annotations

import ast
import contextlib
import dis
import inspect
import io
import linecache
import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
import torch._dynamo

import unjit
from debugged import backends, breaks, codes, fails, lines_run, run
from needs import needs, since
from unjit.errors import BadTarget, UnjitError
from unjit.model import Unknown
from unjit.torch_private.compiled_graphs.graphs import GLOBAL_PREFIX
from unjit.torch_private.following import trace
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES

pytestmark = pytest.mark.usefixtures("nothing_compiled")


@pytest.mark.smoke
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_what_is_compiled_inside_lies_in_files_and_computes_the_same(backend, tmp_path, capfd):
    plain = run(torch.compile(breaks, backend=backend))
    before = [list(dis.get_instructions(code)) for code in codes(breaks)]
    torch._dynamo.reset()
    with unjit.debug(directory=tmp_path) as session:
        assert run(torch.compile(breaks, backend=backend)) == plain
    assert session.problems == []
    assert [len(list(dis.get_instructions(code))) for code in codes(breaks)] == [len(found) for found in before]
    said = capfd.readouterr().err
    for stop in session.stops:
        text = Path(stop.file).read_text()
        ast.parse(text)
        assert text.splitlines()[stop.line - 1].strip()
        assert f"{stop.what}: break {stop.file}:{stop.line}\n" in said
    folders = {Path(stop.file).relative_to(tmp_path).parts[1] for stop in session.stops}
    assert folders == {"breaks", f"breaks_resumes_at_{breaks.__code__.co_firstlineno + 4}"}


@pytest.mark.xfail(sys.version_info >= (3, 14), reason="there the bytecode goes back and forth between two lines")
def test_every_line_of_a_page_with_code_is_stepped_in_order(tmp_path):
    with unjit.debug(directory=tmp_path, quiet=True) as session:
        compiled = torch.compile(breaks, backend="eager")
        run(compiled)
        seen = lines_run(lambda: run(compiled), session.directory)
    files = list(dict.fromkeys(path for path, _ in seen if path.name == "transformed.py"))
    assert len(files) == 2  # the function, and what resumes it
    for file in files:
        lines = [line for path, line in seen if path == file]
        assert lines == sorted(set(lines))
    graph = [one for one in seen if one[0].name == "captured.py"]
    assert len({path for path, _ in graph}) == 2
    assert len(graph) == len(set(graph))


@pytest.mark.xfail(sys.version_info >= (3, 14), reason="there the bytecode goes back and forth between two lines")
def test_lines_are_stepped_once_where_values_are_gathered_for_a_resume_function(tmp_path):
    def broken(x, n):
        y = x + 1
        torch._dynamo.graph_break()
        return y / n

    compiled = torch.compile(broken, backend="eager")
    with unjit.debug(directory=tmp_path, quiet=True):
        compiled(torch.ones(2), 1)
        seen = lines_run(lambda: compiled(torch.ones(2), 1), str(tmp_path))
    first = [line for path, line in seen if path.parts[-3] == "broken" and path.name == "transformed.py"]
    assert first
    assert first == sorted(set(first))


def test_the_graphs_of_aot_eager_are_stepped_also_where_torch_interprets_them(tmp_path):
    """Up to torch 2.9: node by node, so that none of a graph's own code runs."""
    plain = run(torch.compile(breaks, backend="aot_eager"))
    torch._dynamo.reset()
    compiled = torch.compile(breaks, backend="aot_eager")
    with unjit.debug(directory=tmp_path, quiet=True) as session:
        run(compiled)
        seen = lines_run(lambda: run(compiled), session.directory)
        assert run(compiled) == plain
    stops = {(Path(stop.file), stop.line) for stop in session.stops}
    assert {path.name for path, _ in stops} == {"transformed.py", "forward.py", "backward.py"}
    assert stops <= set(seen)
    left = lines_run(lambda: run(compiled), str(tmp_path))
    assert {path.name for path, _ in left} == {"transformed.py"}  # as it was compiled: the graphs are as before
    assert run(compiled) == plain


def test_after_the_block_graphs_are_as_before_and_new_compiles_are_left_alone(tmp_path):
    compiled = torch.compile(breaks, backend="eager")
    run(compiled)
    name = next(name for name in codes(breaks)[0].co_names if name.startswith(GLOBAL_PREFIX))
    compiled_graph = breaks.__globals__[name]
    function = compiled_graph.__wrapped__ if hasattr(compiled_graph, "__wrapped__") else compiled_graph
    graph = function.__self__ if hasattr(function, "__self__") else None
    with unjit.debug(directory=tmp_path, quiet=True):
        compiled(torch.ones(5), torch.ones(5))
    torch._dynamo.reset()
    compiled(torch.ones(4), torch.ones(4))
    assert not codes(breaks)[0].co_filename.startswith(str(tmp_path))
    assert graph is None or "eval_with_key" in type(graph).forward.__code__.co_filename


@pytest.mark.skipif(not since("2.9"), reason="torch itself fails to compile it")
def test_a_traceback_shows_the_decompiled_line_and_the_users(tmp_path):
    compiled = torch.compile(fails, backend="eager")
    with unjit.debug(directory=tmp_path, quiet=True), pytest.raises(IndexError) as caught:
        compiled(torch.ones(2), [])
    text = "".join(traceback.format_tb(caught.value.__traceback__))
    shown = [line.strip() for line in text.splitlines() if "# debugged.py:" in line]
    assert any("__resume_at" in line for line in shown), text


def test_inspect_reads_the_pages_without_being_patched(tmp_path):
    with unjit.debug(directory=tmp_path, quiet=True):
        run(torch.compile(breaks, backend="eager"))
        source = inspect.getsource(codes(breaks)[0])
    assert source.startswith("def breaks(a, b):\n")
    assert "__compiled_fn" in source
    linecache.checkcache()
    assert inspect.getsource(codes(breaks)[0]) == source


@needs(PRECOMPILE_ENTRIES)
def test_code_that_lies_on_a_page_is_shown_with_the_users_lines(tmp_path):
    compiled = torch.compile(breaks, backend="eager")
    with unjit.debug(directory=tmp_path, quiet=True):
        run(compiled)
    listed = unjit.explain(compiled).entries[0].data.code.disassembly
    assert listed.split()[0] == str(breaks.__code__.co_firstlineno)
    shown = unjit.getsource(compiled)
    assert f"# debugged.py:{breaks.__code__.co_firstlineno}" in shown
    assert "transformed.py" not in shown
    with unjit.debug(compiled, quiet=True) as later:
        assert "# transformed.py" not in Path(later.stops[0].file).read_text()


def test_a_block_without_a_directory_has_one_of_its_own():
    with unjit.debug(quiet=True) as one, unjit.debug(quiet=True) as other:
        assert one.directory != other.directory
        assert Path(one.directory).is_dir()


def test_a_capture_and_its_debugging_share_a_directory(tmp_path):
    before = unjit.debug(quiet=True)
    with before, unjit.capture(tmp_path / "out") as capture, unjit.debug(capture, quiet=True) as session:
        compiled = torch.compile(breaks, backend="eager")
        plain = run(compiled)
        seen = lines_run(lambda: run(compiled), session.directory)
    assert session.problems == []
    assert session.directory == str(tmp_path / "out")
    assert {path.name for path, _ in seen} == {"transformed.py", "captured.py"}
    assert "functions/breaks/compile_0/transformed.py" in (tmp_path / "out" / "index.md").read_text()
    listed = (tmp_path / "out/functions/breaks/compile_0/transformed_bytecode.txt").read_text()
    assert listed.split()[0] == str(breaks.__code__.co_firstlineno)  # not a line of a page
    with unjit.debug(tmp_path / "out", quiet=True) as again:
        assert again.directory == session.directory
        assert run(compiled) == plain
    with unjit.capture() as kept:
        with pytest.raises(UnjitError, match="this capture has no directory: pass `directory`"):
            unjit.debug(kept)
        assert unjit.debug(kept, directory=tmp_path).directory == str(tmp_path)


ENDS_IN_AN_ERROR = """
import sys, torch
def fails(x, items):
    y = x + 1
    torch._dynamo.graph_break()
    return y * items[3]
compiled = torch.compile(fails, backend="eager")
compiled(torch.ones(2), [1, 2, 3, 4])
if sys.argv[1:]:
    compiled(torch.ones(2), [])
"""


@pytest.mark.parametrize("fails", [True, False])
def test_files_that_the_last_traceback_names_stay(fails, tmp_path):
    (tmp_path / "program.py").write_text(ENDS_IN_AN_ERROR)
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "unjit", "run", "--debug", str(tmp_path / "program.py"), *["fails"] * fails]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == fails
    left = list((tmp_path / "tmp").glob("unjit-debug-*"))
    assert len(left) == fails
    assert ("unjit.debug: the traceback names files in " in done.stderr) == fails
    for file in re.findall(r'File "(\S+unjit-debug-\S+)"', done.stderr):
        assert Path(file).exists()


FORKS = """
import os, sys, torch, unjit
def doubles(x, count):
    return x * count
compiled = torch.compile(doubles, backend="eager")
compiled(torch.ones(2), 2)
with unjit.debug(doubles, quiet=True) as session:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        compiled(torch.ones(2), 7)
        sys.exit()
    compiled(torch.ones(2), 2.5)
    texts = {stop.file: open(stop.file).read() for stop in session.stops}
    os.write(write, b"1")
    os.waitpid(child, 0)
    print(len(texts), *{open(file).read() == text for file, text in texts.items()})
"""


def test_a_forked_child_takes_no_files_away_and_writes_over_none():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=240, check=True)
    # Before torch 2.9 what was compiled before has no files.
    assert done.stdout in ("4 True\n", "2 True\n")


def test_a_block_begins_once():
    session = unjit.debug(quiet=True)
    with session, pytest.raises(UnjitError, match="has begun already"):
        session.__enter__()
    with pytest.raises(UnjitError, match="has begun already"), session:
        pass


def test_a_directory_that_cannot_be_written_costs_the_files_and_not_the_program(tmp_path, capfd):
    plain = run(torch.compile(breaks, backend="eager"))
    torch._dynamo.reset()
    with unjit.debug(directory=tmp_path) as session:
        (tmp_path / "functions").write_text("a file where a folder should be")
        assert run(torch.compile(breaks, backend="eager")) == plain
    assert session.problems
    assert session.problems[0] in capfd.readouterr().err


def test_a_backward_pass_runs_where_a_debugger_follows_and_afterwards_as_before(tmp_path):
    in_threads = torch._C._is_multithreading_enabled  # whether autograd has threads of its own for GPUs
    compiled = torch.compile(breaks, backend="aot_eager")
    expected = run(compiled)
    entries = backends(breaks)
    with (
        contextlib.suppress(ZeroDivisionError),
        unjit.debug(directory=tmp_path, quiet=True) as outer,
        unjit.debug(directory=tmp_path / "inner", quiet=True),
    ):
        assert not in_threads()
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(in_threads).result()
        assert run(compiled) == expected
        _ = 1 / 0
    assert outer.problems == []
    assert in_threads()
    assert backends(breaks) == entries
    with torch.autograd.set_multithreading_enabled(False):
        with unjit.debug(directory=tmp_path, quiet=True):
            assert not in_threads()
        assert not in_threads()
    assert in_threads()


def test_blocks_that_end_in_the_order_in_which_they_began_leave_autograd_as_it_was(tmp_path):
    in_threads = torch._C._is_multithreading_enabled
    one, other = (unjit.debug(directory=tmp_path / name, quiet=True) for name in ("one", "other"))
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not in_threads()
    other.__exit__(None, None, None)
    assert in_threads()
    assert one.problems == other.problems == []


def test_a_block_that_ends_in_another_thread_says_what_stays(tmp_path):
    session = unjit.debug(directory=tmp_path, quiet=True)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(session.__enter__).result()
        session.__exit__(None, None, None)
        assert not pool.submit(torch._C._is_multithreading_enabled).result()
    assert torch._C._is_multithreading_enabled()
    (problem,) = session.problems
    assert "set_multithreading_enabled(True)" in problem


def test_what_is_not_compiled_yet_is_said_to_be_so(tmp_path, capfd):
    compiled = torch.compile(breaks, backend="eager")
    with unjit.debug(compiled, directory=tmp_path):
        assert "so far nothing is compiled of what was asked for" in capfd.readouterr().err
        run(compiled)
    with unjit.debug(compiled, directory=tmp_path), unjit.debug(directory=tmp_path):
        assert "nothing is compiled" not in capfd.readouterr().err


def test_what_is_no_function_is_refused(tmp_path):
    with pytest.raises(BadTarget):
        unjit.debug(3)
    with pytest.raises(BadTarget, match="there is no directory 'breaks': pass a function itself, or `directory`"):
        unjit.debug("breaks")
    assert not Path("breaks").exists()


@pytest.mark.parametrize("stderr", [None, io.StringIO()])
def test_where_nobody_can_be_told_the_block_runs(stderr, monkeypatch, capsys):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    with unjit.debug() as session:
        run(torch.compile(breaks, backend="eager"))
    assert session.stops
    assert capsys.readouterr().out == ""


EXECUTED = """
def executed(x):
    return (x * 2).sin().sum()
"""


def test_graphs_of_code_that_belongs_to_no_module_have_files_too(tmp_path):
    scope = {}
    exec(EXECUTED, scope)
    with unjit.debug(directory=tmp_path, quiet=True) as session:
        torch.compile(scope["executed"], backend="aot_eager")(torch.ones(2, requires_grad=True)).backward()
    assert session.problems == []
    assert {Path(stop.file).name for stop in session.stops} >= {"transformed.py", "forward.py", "backward.py"}


def test_files_go_to_one_directory(tmp_path):
    with unjit.capture(tmp_path / "one"), unjit.capture(tmp_path / "two"):
        pass
    for targets, where in (([str(tmp_path / "one"), str(tmp_path / "two")], None), ([str(tmp_path / "one")], tmp_path)):
        with pytest.raises(UnjitError, match="one directory"):
            unjit.debug(*targets, directory=where)


def test_that_generated_code_cannot_be_seen_is_a_problem(monkeypatch):
    torch._dynamo.reset()
    monkeypatch.setattr(trace, "on_generated_code", lambda _hook: Unknown("this torch has no such hook"))
    with unjit.debug(quiet=True) as session:
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    assert [problem for problem in session.problems if "no such hook" in problem]



def test_a_place_to_stop_in_is_told_by_the_block_on_whose_page_the_code_runs(tmp_path):
    torch._dynamo.reset()
    compiled = torch.compile(breaks, backend="eager")
    with unjit.debug(compiled, directory=tmp_path / "outer", quiet=True) as outer:
        with unjit.debug(compiled, directory=tmp_path / "inner", quiet=True) as inner:
            run(compiled)
            within = {str(path) for path, _ in lines_run(lambda: run(compiled), str(tmp_path))}
            assert {stop.file for stop in inner.stops} == within
            assert not outer.stops
        after = [path for path, _ in lines_run(lambda: run(compiled), str(tmp_path))]
    run_on = {str(path) for path in after}
    assert {stop.file for stop in outer.stops} <= run_on
    assert outer.stops
    assert {stop.file for stop in inner.stops if stop.file.endswith("transformed.py")} <= run_on
    assert all(stop.file.endswith("captured.py") for stop in outer.stops)
