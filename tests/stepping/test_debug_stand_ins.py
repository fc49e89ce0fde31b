"""`unjit.debug` of what was compiled before the block: what stands in for its entries."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
import torch
import torch._dynamo

import unjit
from debugged import backends, breaks, codes, fails, lines_run, run
from needs import lacking, needs
from unjit.torch_private.probes.cache_probes import ENTRY_BACKEND, PRECOMPILE_ENTRIES
from unjit.torch_private.probes.history_probes import LOOP_BREAKS

pytestmark = pytest.mark.usefixtures("nothing_compiled")


RESUMED = {f"breaks_resumes_at_{breaks.__code__.co_firstlineno + 4}"}


def files_run(directory, compiled):
    return {file for file, _ in lines_run(lambda: run(compiled), str(directory))}


@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_what_was_compiled_before_is_stepped_without_a_compile(backend, tmp_path):
    compiled = torch.compile(breaks, backend=backend)
    plain = run(compiled)
    before = codes(breaks)
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        seen = {path.name for path, _ in lines_run(lambda: run(compiled), session.directory)}
        assert run(compiled) == plain
        compiled(torch.ones(4), -torch.ones(4))  # the branch that was not taken: compiled anew
        compiled(torch.ones(5), torch.ones(5))
    stages = {"captured.py"} if backend == "eager" else {"forward.py", "backward.py"}
    assert seen == {"transformed.py", *stages}
    older = [stop for stop in session.stops if "older_entry" in stop.file]
    assert {stop.what.split(",")[0] for stop in older} == {
        "breaks",
        f"breaks_resumes_at_{breaks.__code__.co_firstlineno + 4}",
    }
    assert all(code in codes(breaks) for code in before)
    assert not any("older_entry" in code.co_filename for code in codes(breaks))
    assert run(compiled) == plain


@needs(ENTRY_BACKEND)
def test_a_stand_in_fits_where_its_entry_fits(tmp_path):
    def scales(x, k):
        return x * k

    compiled = torch.compile(scales, backend="eager", dynamic=False)
    inputs = [(torch.ones(2), 3), (torch.ones(3), 3), (torch.ones(2), 4.5)]
    plain = [compiled(*each).tolist() for each in inputs]
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        for each, expected in zip(inputs, plain, strict=True):
            assert lines_run(lambda each=each: compiled(*each), session.directory)
            assert compiled(*each).tolist() == expected
    assert len(codes(scales)) == 3


@pytest.mark.skipif(not lacking(PRECOMPILE_ENTRIES), reason="this torch can put entries before all others")
def test_where_entries_cannot_be_stood_in_for_no_breakpoint_is_promised(tmp_path, capfd):
    compiled = torch.compile(breaks, backend="eager")
    plain = run(compiled)
    with unjit.debug(compiled, directory=tmp_path) as session:
        assert run(compiled) == plain
    assert [stop for stop in session.stops if "older_entry" in stop.file] == []
    said = capfd.readouterr().err
    assert "what was compiled before cannot be stepped: breaks: torch" in said
    assert "call torch._dynamo.reset() and compile it again inside the block" in said
    assert session.problems[0] in said


@needs(PRECOMPILE_ENTRIES)
def test_what_is_lost_in_a_block_within_a_block_is_a_problem_also_where_nothing_is_said(tmp_path):
    compiled = torch.compile(breaks, backend="eager")
    run(compiled)
    with unjit.debug(compiled, quiet=True), unjit.debug(compiled, quiet=True) as inner:
        (problem,) = inner.problems
    assert problem == (
        "what was compiled before cannot be stepped: breaks: another block of unjit.debug has put its entries into "
        "files, and lasts still: stop in those"
    )


@needs(PRECOMPILE_ENTRIES)
def test_of_an_installed_copy_it_is_said_what_to_do():
    compiled = torch.compile(breaks, backend="eager")
    run(compiled)
    copy = unjit.explain(compiled).entries[0].copy()
    with copy.install(), unjit.debug(compiled, quiet=True) as session:
        (problem,) = session.problems
    assert "entries that you installed are among its own" in problem
    assert problem.endswith("remove them before the block")


def decorated(x):
    @functools.wraps(breaks)
    def around(*arguments):
        return breaks(*arguments)

    return around(x, x)


@needs(PRECOMPILE_ENTRIES)
def test_a_function_that_was_being_inlined_where_a_graph_broke_is_prepared_too(tmp_path):
    compiled = torch.compile(decorated, backend="eager")
    compiled(torch.ones(4))
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        seen = {str(path) for path, _ in lines_run(lambda: compiled(torch.ones(4)), session.directory)}
    assert session.problems == []
    assert seen == {stop.file for stop in session.stops}
    assert {stop.what.partition(",")[0] for stop in session.stops} >= {"decorated", "breaks", *RESUMED}


@needs(PRECOMPILE_ENTRIES)
def test_it_is_said_which_functions_run_as_written(tmp_path, capfd):
    def given_up(x):
        for _ in range(2):
            torch._dynamo.graph_break()
        return x + 1

    def limited(x, k):
        return x * len(k)

    first, second = torch.compile(given_up, backend="eager"), torch.compile(limited, backend="eager", dynamic=False)
    first(torch.ones(2))
    for count in range(torch._dynamo.config.recompile_limit + 1):
        second(torch.ones(2), "k" * count)
    with unjit.debug(first, second, directory=tmp_path):
        pass
    said = capfd.readouterr().err
    why = "made nothing of it, .* or a graph break" if lacking(LOOP_BREAKS) else "gave it up at a graph break"
    assert re.search(rf"given_up \(.*\.py:\d+\): Dynamo {why}", said)
    assert re.search(r"limited \(.*\.py:\d+\): It has \d+ entries.* the limit", said)


class Adds:
    def __call__(self, x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2


@torch.no_grad()
def unrecorded(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("target", [Adds(), functools.partial(Adds().__call__), unrecorded])
def test_what_torch_puts_a_function_of_its_own_around_is_prepared_too(target, tmp_path):
    compiled = torch.compile(target, backend="eager")
    compiled(torch.ones(2))
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        seen = {path for path, _ in lines_run(lambda: compiled(torch.ones(2)), session.directory)}
    assert session.problems == []
    assert seen == {Path(stop.file) for stop in session.stops}
    assert "captured.py" in {path.name for path in seen}


@needs(PRECOMPILE_ENTRIES)
@needs(ENTRY_BACKEND)
def test_each_call_of_a_function_of_two_backends_runs_what_stands_in_for_its_own(tmp_path, capfd):
    first, second = (torch.compile(breaks, backend=backend) for backend in ("eager", "aot_eager"))
    plain = [run(first), run(second)]
    before = backends(breaks)
    with unjit.debug(breaks, directory=tmp_path):
        assert [run(first), run(second)] == plain
        pages = [files_run(tmp_path, compiled) for compiled in (first, second)]
    assert "cannot be stepped" not in capfd.readouterr().err
    assert backends(breaks) == before == ["aot_eager", "eager"]
    assert all(pages)
    assert pages[0].isdisjoint(pages[1])


@needs(PRECOMPILE_ENTRIES)
@needs(ENTRY_BACKEND)
def test_a_call_for_another_backend_compiles_as_without_the_block(tmp_path):
    run(torch.compile(breaks, backend="eager"))
    with unjit.debug(breaks, directory=tmp_path, quiet=True):
        run(torch.compile(breaks, backend="aot_eager"))
    assert backends(breaks) == ["aot_eager", "eager"]


@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("kept", ["in a directory", "in memory", "by its path"])
def test_a_capture_alone_stands_for_what_it_saw_compile(kept, tmp_path):
    with unjit.capture(None if kept == "in memory" else tmp_path / "out") as session:
        compiled = torch.compile(breaks, backend="eager")
        compiled(torch.ones(4), torch.ones(4))
    torch.compile(fails, backend="eager")(torch.ones(4), [1, 2, 3, 4])
    elsewhere = {"directory": tmp_path / "out"} if kept == "in memory" else {}
    with unjit.debug(tmp_path / "out" if kept == "by its path" else session, quiet=True, **elsewhere) as block:
        pass
    assert {stop.what.partition(",")[0] for stop in block.stops} == {"breaks", *RESUMED}
    assert all(Path(stop.file).is_relative_to(tmp_path / "out") for stop in block.stops)


@needs(PRECOMPILE_ENTRIES)
def test_what_stands_in_for_an_entry_is_told_as_that(tmp_path):
    compiled = torch.compile(breaks, backend="eager")
    compiled(torch.ones(4), torch.ones(4))
    number = unjit.explain(compiled).entries[0].compile_id
    with unjit.debug(compiled, directory=tmp_path, quiet=True):
        stand_in = unjit.explain(compiled).entries[0]
        said = str(unjit.why(compiled, torch.ones(4), torch.ones(4)))
    assert f"it stands in for entry {number} while a block of unjit.debug lasts" in stand_in.compile_id.reason
    assert f"it stands in for entry {number}" in said

