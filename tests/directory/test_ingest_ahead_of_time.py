"""What a log has of aot_compile: all that it did with a graph is of the compile that captured it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import unjit
from needs import needs, refused_before
from unjit.findings import concerns
from unjit.torch_private.probes.trace_probes import COMPILE_AHEAD

PROGRAM = """
import contextlib, sys, torch
if sys.argv[1:]:
    import unjit

def scaled(x, times):
    y = x.sin() * times
    return y.relu().sum()

def shifted(x, by):
    return (x + by).cos()

def plain(x):
    return x.exp() - 1

def refused(graph, inputs):
    raise RuntimeError("not today")

class Branches(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return x * 2

def ahead(function, backend="aot_eager"):
    return torch.compile(function, fullgraph=True, backend=backend).aot_compile(((torch.ones(4), 3), {}))

with unjit.capture(sys.argv[1], fresh=False) if sys.argv[1:] else contextlib.nullcontext():
    kept = ahead(scaled)
    torch.compile(plain, backend="aot_eager")(torch.ones(3))
    with contextlib.suppress(Exception):
        ahead(scaled, refused)
    kept = kept, ahead(shifted)
    torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),), strict=True)
    torch.compile(plain, backend="aot_eager")(torch.ones(3, 3))
    with contextlib.suppress(Exception):
        torch.export.export(Branches(), (torch.ones(1, 2),), strict=True)
"""
OF_THE_CODE = {"transformed.py", "transformed_bytecode.txt"}  # which no log has
IN_A_LOG = {
    "scaled/compile_0": "frame_0/compile_0",
    "plain/compile_0": "plain/compile_0",
    "scaled/compile_1": "frame_2/compile_0",
    "shifted/compile_0": "frame_3/compile_0",
    "plain/compile_1": "plain/compile_1",
}
pytestmark = [needs(COMPILE_AHEAD), refused_before("2.12", "has no aot_compile with these arguments")]


def cache(folder):
    """An empty one: aot_compile needs one, as what it made is to be saved."""
    return {"TORCHINDUCTOR_CACHE_DIR": str(folder)}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What was read from a log of the program, and a live capture of it."""
    folder = tmp_path_factory.mktemp("ahead")
    program = folder / "program.py"
    program.write_text(PROGRAM)
    of_log, of_live = {"TORCH_TRACE": str(folder / "log"), **cache(folder / "a")}, cache(folder / "b")
    subprocess.run([sys.executable, program], env={**os.environ, **of_log}, check=True)
    subprocess.run([sys.executable, program, folder / "live"], env={**os.environ, **of_live}, check=True)
    return unjit.ingest(folder / "log", folder / "out"), unjit.load(folder / "live")


def names(capture, compile_):
    """The files of a compile that a log can have."""
    return {path.name for path in (capture.directory / "functions" / compile_).iterdir()} - OF_THE_CODE


def test_what_it_did_with_a_graph_is_of_the_compile_that_captured_it(both):
    logged, live = both
    texts = {path.name for path in (logged.directory / "outside_of_compiles").iterdir()}
    assert texts == {path.name for path in (live.directory / "outside_of_compiles").iterdir()} | {"torch_version.txt"}
    for compile_, in_the_log in IN_A_LOG.items():
        assert names(logged, in_the_log) == names(live, compile_)
    assert {"captured.py", "inference.py", "guards.txt"} <= names(logged, "frame_3/compile_0")


def test_it_is_told_as_made_ahead_of_time_and_where(both):
    logged, _ = both
    of_one = [one for one in logged.compiles if one.function == "frame_0"]
    assert [one.compile.outcome for one in of_one] == ["compiled"]
    assert of_one[0].entered.function == "ahead"
    assert of_one[0].entered.code.startswith("return torch.compile(function")
    assert [call.place.function for call in of_one[0].stack if not call.of_torch] == ["<module>", "ahead"]
    run = next(one for one in logged.data.run.compiles if one.path == "functions/frame_0/compile_0")
    assert 0 < run.seconds < 600
    assert {"compile_attempt_0", "create_aot_dispatcher_function"} <= {phase.name for phase in run.phases}
    kinds = {str(function.key): [entry.kind for entry in function.entries] for function in logged.functions}
    assert kinds["frame_0"] == kinds["frame_3"] == ["ahead of time"]
    assert kinds["plain"] == ["cache entry", "cache entry"]


def test_where_it_raised_it_made_nothing(both):
    (refused,) = [one.compile for one in both[0].compiles if one.function == "frame_2"]
    assert refused.outcome == "failed"
    assert "not today" in refused.error
    assert both[0].function("frame_2").entries == ()
    assert refused.error in {one.compile.error for one in both[1].compiles if one.compile.outcome == "failed"}


def test_what_torch_export_captured_or_could_not_is_told(both):
    outcomes = {str(one.function): (one.compile.outcome, one.compile.error) for one in both[1].compiles}
    assert "torch.export captured its graph" in str(outcomes["Linear_forward"][0])
    outcome, error = outcomes["Branches_forward"]
    assert (outcome, error.partition("\n")[0]) == ("failed", "Unsupported: Data-dependent branching")
    assert sum("torch.export captured" in str(one.compile.outcome) for one in both[0].compiles) == 1
    errors = [str(one.compile.error) for one in both[0].compiles if one.compile.outcome == "failed"]
    assert sum(said.startswith("Unsupported: Data-dependent branching") for said in errors) == 1
    (told,) = [one for one in concerns(both[1].data) if "Branches" in str(one.function)]
    assert told.place.code == "if x.sum() > 0:"
    assert told.advice.startswith("Write the branch as torch.where")


def test_its_function_is_not_made_up(both):
    logged, _ = both
    index = (logged.directory / "index.md").read_text()
    assert "## frame_0\n\na function, of which nothing tells where it is defined; 1 entry made ahead of time" in index
    assert not re.search(r"<unknown>:", str(logged) + index)


def test_where_two_threads_are_at_it_at_once_nothing_is_given_to_one_of_them(both, tmp_path):
    (log,) = (both[0].directory.parent / "log").iterdir()
    records = re.split(r"(?m)^(?=V)", log.read_text())
    beginning = next(record for record in records if "fullgraph_capture" in record)
    assert '"ph": "B"' in beginning
    (tmp_path / "dedicated_log_torch_trace_of_two.log").write_text(beginning + log.read_text())
    found = unjit.ingest(tmp_path, tmp_path / "out")
    assert not any(function.entries for function in found.functions if str(function.key).startswith("frame_"))
    assert "aot_inference_graph.txt" in {path.name for path in (tmp_path / "out/outside_of_compiles").iterdir()}
