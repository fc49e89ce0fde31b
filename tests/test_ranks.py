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

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="the ranks talk through gloo")
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
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


def test_what_went_different_ways(own_ways):
    merged = unjit.merge(own_ways[0] / "out")
    assert {
        ("breaks", "scaled"),
        ("guards", "scaled"),
        ("graphs", "scaled"),
        ("compiles", "scaled_resumes_at_81"),
        ("compiles", "mean"),
        ("compiles", "gather"),
    } == told(merged)
    (breaks,) = [one for one in merged.differences if one.matter == "breaks"]
    assert [side.ranks for side in breaks.sides] == [(0,), (1,)]
    assert "ranks.py:81: torch._dynamo.graph_break()" in breaks.sides[1].text


def test_where_the_collectives_part(own_ways):
    (parting,) = unjit.merge(own_ways[0] / "out").partings
    assert (parting.group, parting.position, str(parting.before.op)) == ((0, 1), 1, "all_reduce")
    first, second = (side.collective for side in parting.sides)
    assert (str(first.op), str(first.tensor), str(first.detail)) == ("all_reduce", "f32[4]", "'sum'")
    assert (str(second.op), str(second.tensor)) == ("all_gather_into_tensor", "f32[3, 4]")
    assert first.ranks == second.ranks == (0, 1)
    assert first.group == second.group != parting.before.group


def test_the_logs_of_the_same_job(own_ways):
    top, _ = own_ways
    found = unjit.ingest(top / "trace", top / "ingested")
    assert sorted(found.processes) == ["rank_0", "rank_1"]
    merged = unjit.merge(top / "ingested")
    live = unjit.merge(top / "out")
    assert [(one.position, [side.ranks for side in one.sides]) for one in merged.partings] == [
        (one.position, [side.ranks for side in one.sides]) for one in live.partings
    ]
    assert {("breaks", "scaled"), ("graphs", "scaled"), ("compiles", "gather")} <= told(merged)
    assert any("was not noted" in why for why in merged.data.unknown)


def test_a_rank_that_is_killed_leaves_what_it_had(tmp_path):
    torchrun("-m", "unjit", "run", "--out", tmp_path / "out", PROGRAM, "killed", status=1)
    merged = unjit.merge(tmp_path / "out")
    killed = merged.data.ranks[1]
    assert not killed.finished
    assert (killed.functions, killed.compiles, killed.breaks) == (3, 3, 1)
    assert ("breaks", "scaled") in told(merged)
    assert merged.partings == ()
    assert unjit.load(tmp_path / "out").processes["rank_1"].function("alike").place.line > 0


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
