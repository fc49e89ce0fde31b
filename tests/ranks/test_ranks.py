"""Real jobs of torchrun: every rank captures by itself, and the ranks together show what went different ways."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import torch.distributed as dist

import unjit
from judge import PROGRAMS
from needs import lacking, needs
from unjit.model import Unknown
from unjit.torch_private.probes.call_probes import SET_CALL_HOOK

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="the ranks talk through gloo")
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
RUNS_ARE_NOT_TOLD = lacking(SET_CALL_HOOK)
PROGRAM = str(PROGRAMS / "ranks.py")


def torchrun(*arguments, status=0, **environment):
    done = subprocess.run(
        [*TORCHRUN, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert (done.returncode == 0) == (status == 0), done.stderr[-3000:]
    return done


def told(merged):
    return {(one.matter, str(one.function)) for one in merged.differences if one.grade == "other"}


@pytest.fixture(scope="module")
def own_ways(tmp_path_factory):
    top = tmp_path_factory.mktemp("own_ways")
    command = ["-m", "unjit", "run", "--out", top / "out", PROGRAM, "own_ways"]
    return top, torchrun(*command, TORCH_TRACE=str(top / "trace"))


def test_each_rank_has_a_folder_and_the_first_speaks(own_ways):
    top, done = own_ways
    assert sorted(path.name for path in (top / "out").iterdir()) == ["processes"]
    assert sorted(path.name for path in (top / "out" / "processes").iterdir()) == ["rank_0", "rank_1"]
    assert done.stderr.count("unjit: Dynamo saw") == 1
    assert f"unjit merge {top / 'out'}" in done.stderr
    assert all(one.data.finished for one in unjit.load(top / "out").processes.values())


def test_what_is_known_of_a_rank_at_its_end_stays(own_ways):
    """Python ends multiprocessing after the weak references of a process, with which its entries go."""
    for rank in unjit.load(own_ways[0] / "out").processes.values():
        functions = rank.data.report.functions
        assert {str(function.status.state) for function in functions} <= {"compiled", "never ran", "skipped"}
        entries = [entry for function in functions for entry in function.entries]
        assert entries
        assert [entry for entry in entries if isinstance(entry.guards, Unknown)] == []


def test_what_went_different_ways(own_ways):
    merged = unjit.merge(own_ways[0] / "out")
    assert {
        ("breaks", "scaled"),
        ("guards", "scaled"),
        ("graphs", "scaled"),
        ("compiles", "scaled_resumes_at_81"),
        ("compiles", "mean"),
        ("compiles", "gather"),
        *([] if RUNS_ARE_NOT_TOLD else [("recompiles", "widened")]),
    } == told(merged)
    (breaks,) = [one for one in merged.differences if one.matter == "breaks"]
    assert [side.ranks for side in breaks.sides] == [(0,), (1,)]
    assert "ranks.py:81: torch._dynamo.graph_break()" in breaks.sides[1].text


@needs(SET_CALL_HOOK)
def test_where_the_collectives_part(own_ways):
    (parting,) = unjit.merge(own_ways[0] / "out").partings
    assert (parting.group, parting.position, str(parting.before.op)) == ((0, 1), 5, "all_reduce")  # alike ran 5 times
    first, second = (side.collective for side in parting.sides)
    assert (str(first.op), str(first.tensor), str(first.detail)) == ("all_reduce", "f32[4]", "'sum'")
    assert (str(second.op), str(second.tensor)) == ("all_gather_into_tensor", "f32[3, 4]")
    assert first.ranks == second.ranks == (0, 1)
    assert first.group == second.group != parting.before.group
    assert [str(one.place.code) for one in (parting.before, first, second)] == [
        "dist.all_reduce(x)",
        "dist.all_reduce(total, group=hasty)",
        "dist.all_gather(parts, x, group=hasty)",
    ]


@needs(SET_CALL_HOOK)
def test_a_recompile_at_another_step(own_ways):
    """What they compiled is the same, and in the same order: only their runs tell."""
    merged = unjit.merge(own_ways[0] / "out")
    (calls,) = [one for one in merged.differences if str(one.function) == "widened"]
    assert (calls.matter, calls.number) == ("recompiles", 1)
    assert [(side.ranks, str(side.text)) for side in calls.sides] == [
        ((0,), "made when its code had run 2 times"),
        ((1,), "made when its code had run 1 time"),
    ]
    assert [one.runs for one in merged.data.ranks] == [11, 12]


def test_a_summary_of_what_only_ranks_compiled_says_how_to_ask_for_them(own_ways):
    out = own_ways[0] / "out"
    text = unjit.load(out).summary()
    asked = f"This process compiled nothing. What another did: unjit summary {out}/processes/rank_0"
    assert f"{asked}; where ranks diverge: unjit merge {out}\n" in text
    assert "This process" not in unjit.load(out / "processes" / "rank_0").summary()


def test_the_logs_of_the_same_job(own_ways):
    top, _ = own_ways
    found = unjit.ingest(top / "trace", top / "ingested")
    assert sorted(found.processes) == ["rank_0", "rank_1"]
    merged = unjit.merge(top / "ingested")
    live = unjit.merge(top / "out")
    (parting,), (seen,) = merged.partings, live.partings
    assert [(side.ranks, side.collective.op) for side in parting.sides] == [
        (side.ranks, side.collective.op) for side in seen.sides
    ]
    assert parting.position == 1  # a log does not tell runs: each graph counts once
    assert {("breaks", "scaled"), ("graphs", "scaled"), ("compiles", "gather")} <= told(merged)
    assert any("was not noted" in why for why in merged.data.unknown)


def test_a_rank_that_is_killed_leaves_what_it_had(tmp_path):
    torchrun("-m", "unjit", "run", "--out", tmp_path / "out", PROGRAM, "killed", status=1)
    merged = unjit.merge(tmp_path / "out")
    killed = merged.data.ranks[1]
    assert not killed.finished
    assert (killed.functions, killed.compiles, killed.breaks) == (3, 3, 1)
    assert killed.runs == 3 or RUNS_ARE_NOT_TOLD
    assert ("breaks", "scaled") in told(merged)
    assert merged.partings == ()
    assert unjit.load(tmp_path / "out").processes["rank_1"].function("alike").place.line > 0


def test_without_a_directory_each_rank_says_which_it_is_and_writes_a_file(tmp_path):
    done = torchrun("-m", "unjit", "run", "--json", tmp_path / "report.json", PROGRAM, "own_ways")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "report.rank_1.json"]
    assert f"unjit, rank 1: everything as JSON: {tmp_path / 'report.rank_1.json'}\n" in done.stderr
    assert sorted(re.findall(r"(?m)^unjit, rank \d: Dynamo saw", done.stderr)) == [
        "unjit, rank 0: Dynamo saw",
        "unjit, rank 1: Dynamo saw",
    ]
    assert "unjit: " not in done.stderr


@pytest.mark.slow
def test_data_parallel_sharded_and_tensor_parallel_compute_the_same(tmp_path):
    watched = torchrun("-m", "unjit", "run", "--out", tmp_path / "out", PROGRAM, "all_kinds")
    alone = torchrun(PROGRAM, "all_kinds")
    results = [sorted(re.findall(r"^\w+ rank .*", done.stdout, re.MULTILINE)) for done in (watched, alone)]
    assert len(results[0]) == 12
    assert results[0] == results[1]
    merged = unjit.merge(tmp_path / "out")
    assert merged.differences == ()
    assert merged.partings == ()
    assert all(one.collectives > 0 and one.compiles > 6 for one in merged.data.ranks)


@pytest.mark.slow
def test_the_variable_is_enough(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(
        "import unjit, torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n"
        "dist.destroy_process_group()\n"
    )
    torchrun(program, UNJIT_OUT=str(tmp_path / "out"))
    merged = unjit.merge(tmp_path / "out")
    assert [(one.finished, one.compiles) for one in merged.data.ranks] == [(True, 1), (True, 1)]
    assert merged.differences == ()
