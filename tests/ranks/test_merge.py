"""`unjit.merge`: what ranks do not have alike, told once; what each has of its own by nature, not told at all.

Each rank is a real capture under torch's process group that pretends to have others, made one after another.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

import unjit
from unjit.errors import UnjitError
from unjit.model import Ranks, Unknown, from_plain

SIZE = 4


def job(top, program, size=SIZE, ranks=None):
    """The captures of a job in which each rank runs `program(rank)`."""
    for rank in range(size) if ranks is None else ranks:
        dist.init_process_group("fake", rank=rank, world_size=size, store=FakeStore())
        try:
            torch._dynamo.reset()
            with unjit.capture(top):
                program(rank)
        finally:
            dist.destroy_process_group()
            torch._dynamo.reset()
    return top


def compiled(function, backend="eager"):
    return torch.compile(function, backend=backend)


def reduce_then_gather(x):
    y = x * 2
    dist.all_reduce(y)
    out = torch.empty(SIZE * 4, 8)
    dist.all_gather_into_tensor(out, y, group=dist.group.WORLD)
    return out.sum()


def gather_then_reduce(x):
    out = torch.empty(SIZE * 4, 8)
    dist.all_gather_into_tensor(out, x, group=dist.group.WORLD)
    y = x * 2
    dist.all_reduce(y)
    return out.sum() + y.sum()


def plain(x):
    return (x * 3).sum()


def told(merged, grade="other"):
    return {(one.matter, str(one.function), one.number) for one in merged.differences if one.grade == grade}


@pytest.fixture(scope="module")
def alike(tmp_path_factory):
    def program(rank):
        compiled(reduce_then_gather)(torch.ones(4, 8))
        compiled(plain)(torch.ones(rank + 3))  # an uneven part of something

    return job(tmp_path_factory.mktemp("alike") / "out", program)


def test_ranks_that_do_the_same(alike):
    merged = unjit.merge(alike)
    assert [one.rank for one in merged.data.ranks] == list(range(SIZE))
    assert merged.data.size == SIZE
    assert merged.data.missing == ()
    assert told(merged) == set()
    assert merged.partings == ()
    assert {one.collectives for one in merged.data.ranks} == {2}
    assert all(one.finished and one.seconds > 0 for one in merged.data.ranks)


def test_uneven_parts_differ_in_numbers_alone(alike):
    merged = unjit.merge(alike)
    assert told(merged, "numbers") == {("guards", "plain", 0), ("graphs", "plain", 0)}
    graphs = next(one for one in merged.differences if one.matter == "graphs")
    assert [side.ranks for side in graphs.sides] == [(0,), (1,), (2,), (3,)]
    assert "f32[3][1]cpu" in graphs.sides[0].text
    assert "What differs only in numbers" in str(merged)


def test_what_is_written(alike):
    merged = unjit.merge(alike)
    data = json.loads((alike / "ranks.json").read_text())
    assert data.pop("schema")
    assert from_plain(Ranks, data) == merged.data
    assert (alike / "ranks.md").read_text() == str(merged)
    page = (alike / "report.html").read_text()
    assert 'href="processes/rank_3/report.html"' in page
    assert "Where do ranks differ?" in page
    assert merged.losses == ()
    index = (alike / "index.md").read_text()
    assert "(processes/rank_3/index.md)" in index
    assert unjit.load(alike).processes.keys() == {f"rank_{rank}" for rank in range(SIZE)}
    again = {file: file.read_text() for file in alike.glob("*.*")}
    assert str(unjit.merge(alike)) == str(merged)
    assert {file: file.read_text() for file in alike.glob("*.*")} == again


def test_the_top_of_a_directory_in_which_only_ranks_wrote_has_nothing_of_its_own(alike):
    top = unjit.load(alike)
    assert not (alike / "index.json").exists()
    assert (top.data.finished, top.functions, top.losses) == (True, (), ())
    assert top.data.report.torch_version == torch.__version__
    page = top.report().html
    assert "Each rank has a page of its own that answers this." in page
    assert "has not ended" not in page


def test_ranks_that_left_nothing_and_ranks_that_were_killed(alike, tmp_path):
    shutil.copytree(alike, tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "processes" / "rank_2")
    killed = tmp_path / "out" / "processes" / "rank_1"
    for name in ("index.json", "run.json", "functions/plain/function.json", "functions/plain/compile_0/entry.json"):
        (killed / name).unlink()
    shutil.rmtree(killed / "functions" / "reduce_then_gather")
    merged = unjit.merge(tmp_path / "out")
    assert merged.data.missing == (2,)
    assert [one.finished for one in merged.data.ranks] == [True, False, True]
    assert isinstance(merged.data.ranks[1].seconds, Unknown)
    assert told(merged) == set()  # it might have compiled the other function later
    assert merged.partings == ()
    assert "Rank 2 left nothing" in str(merged)


def test_collectives_in_another_order(tmp_path):
    def program(rank):
        compiled(plain)(torch.ones(3))
        function = gather_then_reduce if rank == 2 else reduce_then_gather
        compiled(function)(torch.ones(4, 8))

    merged = unjit.merge(job(tmp_path / "out", program))
    (parting,) = merged.partings
    assert (parting.group, parting.position, parting.before) == ((0, 1, 2, 3), 0, None)
    sides = {side.ranks: side.collective for side in parting.sides}
    assert sides[0, 1, 3].op == "all_reduce"
    assert (str(sides[0, 1, 3].tensor), sides[0, 1, 3].ranks) == ("f32[4, 8]", (0, 1, 2, 3))
    assert sides[2,].op == "all_gather_into_tensor"
    graph = tmp_path / "out" / "processes" / "rank_2" / sides[2,].path
    assert "all_gather_into_tensor" in graph.read_text().splitlines()[sides[2,].line - 1]
    assert ("compiles", "gather_then_reduce", None) in told(merged)


def test_one_rank_stops_short(tmp_path):
    def program(rank):
        compiled(reduce_then_gather)(torch.ones(4, 8))
        if rank < 3:
            compiled(gather_then_reduce)(torch.ones(4, 8))

    merged = unjit.merge(job(tmp_path / "out", program))
    (parting,) = merged.partings
    assert parting.position == 2
    assert parting.before.op == "all_gather_into_tensor"
    assert [(side.ranks, side.collective is None) for side in parting.sides] == [((0, 1, 2), False), ((3,), True)]
    assert "no more" in str(merged)
    for page in ((tmp_path / "out" / "report.html").read_text(), unjit.load(tmp_path / "out").report().html):
        assert "Ranks 0-3 diverge in forward graphs, after 2 in common" in page


def test_groups_of_their_own(tmp_path):
    """Two pairs of ranks, each with a group that has another name: what one pair does is nothing to the other."""

    def program(rank):
        pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        own = pairs[rank // 2]

        def in_pair(x):
            dist.all_reduce(x, group=own)
            return x + 1

        compiled(in_pair)(torch.ones(4))
        if rank > 1:
            compiled(in_pair)(torch.ones(4).double())

    merged = unjit.merge(job(tmp_path / "out", program))
    assert merged.partings == ()
    assert told(merged) == {("compiles", "in_pair", None)}


def test_in_a_pair_the_order_counts(tmp_path):
    def program(rank):
        pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]

        def in_pair(x):
            dist.all_reduce(x, group=pairs[rank // 2], op=dist.ReduceOp.MAX if rank == 3 else dist.ReduceOp.SUM)
            return x + 1

        compiled(in_pair)(torch.ones(4))

    merged = unjit.merge(job(tmp_path / "out", program))
    (parting,) = merged.partings
    assert parting.group == (2, 3)
    assert {side.ranks: str(side.collective.detail) for side in parting.sides} == {(2,): "'sum'", (3,): "'max'"}


def test_functions_of_one_name_compiled_in_another_order(tmp_path):
    def program(rank):
        def first():
            def same_name(x):
                return x + 1

            return same_name

        def second():
            def same_name(x):
                return x.sin()

            return same_name

        made = [first(), second()]
        for function in reversed(made) if rank else made:
            compiled(function)(torch.ones(3))

    merged = unjit.merge(job(tmp_path / "out", program, size=2))
    assert {(one.matter, str(one.name)) for one in merged.differences} == {("compiles", "order")}


def test_torch_need_not_be_there(alike, tmp_path):
    shutil.copytree(alike, tmp_path / "out")
    script = "import sys; sys.modules['torch'] = None; import unjit; print(unjit.merge(sys.argv[1]).data.size)"
    command = [sys.executable, "-c", script, str(tmp_path / "out")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == f"{SIZE}\n"


def test_what_cannot_be_read_is_a_loss(alike, tmp_path):
    shutil.copytree(alike, tmp_path / "out")
    rank = tmp_path / "out" / "processes" / "rank_1"
    (rank / "functions" / "plain" / "compile_0" / "compile.json").write_text("{")
    (rank / "distributed.json").write_text('{"schema": 0}')
    merged = unjit.merge(tmp_path / "out")
    assert sorted(str(loss).partition(":")[0] for loss in merged.data.losses) == ["rank 1", "rank 1"]
    assert len(merged.data.ranks) == SIZE


def test_no_ranks_there(tmp_path):
    with pytest.raises(UnjitError, match="holds no captures of ranks"):
        unjit.merge(tmp_path)
    with unjit.capture(tmp_path / "alone"):
        compiled(plain)(torch.ones(2))
    done = subprocess.run(
        [sys.executable, "-m", "unjit", "merge", str(tmp_path / "alone")], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_an_older_job_makes_room(tmp_path):
    """`overwrite` also takes out what larger, and other, jobs left, which no rank of this one would write over."""

    def program(_):
        compiled(plain)(torch.ones(2))

    top = job(tmp_path / "out", program)
    unjit.merge(top)
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    try:
        with pytest.raises(UnjitError, match="is not empty"), unjit.capture(top):
            pass
        with unjit.capture(top, overwrite=True):
            program(0)
    finally:
        dist.destroy_process_group()
    assert sorted(path.name for path in (top / "processes").iterdir()) == ["rank_0", "rank_1"]
    assert not (top / "ranks.json").exists()
    assert Path(top / "processes" / "rank_0" / "index.json").exists()


def test_what_is_said_to_be_the_same_where_one_rank_compiled_again(tmp_path):
    def program(rank):
        function = compiled(lambda x: x + 1)
        for size in (3, 4) if rank else (3,):
            function(torch.ones(size))

    text = str(unjit.merge(job(tmp_path / "out", program, size=2)))
    assert "compile 1: tensor 'x' size mismatch" in text
    assert "The same on all ranks" not in text
    assert "kernels" not in text  # there are none on this backend
    assert "\nIn the compiles that several ranks have, the same on these: why and when compiled again, " in text


def test_a_break_that_two_compiles_met_is_one(tmp_path):
    def program(_rank):
        def halves(x):
            y = x + 1
            torch._dynamo.graph_break()
            return y * 2

        step = compiled(halves)
        step(torch.ones(3)), step(torch.ones(3).double())

    rank, _ = unjit.merge(job(tmp_path / "out", program, size=2)).data.ranks
    assert rank.compiles > rank.breaks == 1
