"""`unjit ingest`: a log that torch wrote without unjit gives what a capture of the same program gives."""

from __future__ import annotations

import gzip
import itertools
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

import unjit
from needs import since
from toys import needs_compiler
from unjit.directory.files import DiskFiles
from unjit.ingesting import shelf
from unjit.ingesting.ingest import ingest_log
from unjit.ingesting.records import LogFile
from unjit.model import Unknown

PROGRAM = """
import contextlib, sys, torch

def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

compiled = torch.compile(toy, backend=sys.argv[1])
if sys.argv[2:]:
    import unjit
with unjit.capture(sys.argv[2], fresh=False) if sys.argv[2:] else contextlib.nullcontext():
    for size in [3] if sys.argv[1] == "inductor" else [3, 4]:
        for sign in (1, -1):
            compiled(torch.ones(size), torch.full((size,), float(sign)))
    torch._dynamo.reset()
    compiled(torch.ones(3), torch.ones(3))
"""
# What a log cannot hold, and what it has where a capture has something else.
NOT_LOGGED = {"transformed.py", "source.txt", "index.md", "index.json"}
NOT_LOGGED |= {f"inference_{name}.txt" for name in ("ir_before_fusion", "fusion", "ir_after_fusion", "schedule")}
IN_A_LOG = {"toy_resumes_at_8": "toy_resumes_at_6", "toy_resumes_at_7": "toy_resumes_at_6_2"}
IN_A_LOG["toy_resumes_at_8_2"] = "toy_resumes_at_6_3"
OF_RESUMES_ALONE = {"bytecode.txt", "transformed_bytecode.txt"}


def logged(folder, backend, *, at_once=False):
    """The folder with a log of the program, and the directory of a live capture of it; one process may make both."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    caches = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
    with_log = {**os.environ, **caches, "TORCH_TRACE": str(folder / "log")}
    if not at_once:
        subprocess.run([sys.executable, program, backend], env=with_log, check=True)
    environment = with_log if at_once else {**os.environ, **caches}
    subprocess.run([sys.executable, program, backend, folder / "live"], env=environment, check=True)
    return folder / "log", folder / "live"


@pytest.fixture(scope="module")
def eager(tmp_path_factory):
    return logged(tmp_path_factory.mktemp("eager"), "eager")


@pytest.fixture(scope="module")
def aot(tmp_path_factory):
    return logged(tmp_path_factory.mktemp("aot"), "aot_eager")


def renamed(name):
    """Live, a resume function is called by the line where it goes on; in a log by the line that it was cut at."""
    key = re.search(r"toy_resumes_at_\d(_2)?", name)
    return name.replace(key[0], IN_A_LOG.get(key[0], key[0])) if key else name


def texts(directory):
    """The texts of compiles by their paths, without the folders of the machine."""
    found = {}
    for path in Path(directory).rglob("*"):
        if path.suffix in (".txt", ".py") and not {"outside_of_compiles", "sources"} & set(path.parts):
            found[str(path.relative_to(directory))] = path.read_text()
    return found


def compare(live, out):
    ingested, captured = texts(out), {renamed(name): text for name, text in texts(live).items()}
    missing = {name for name in captured if name not in ingested}
    assert set(ingested) <= set(captured)
    assert {Path(name).name for name in missing} <= NOT_LOGGED | OF_RESUMES_ALONE
    lost = any("resumes" in name for name in missing if Path(name).name in OF_RESUMES_ALONE)
    assert lost != since("2.12")  # before, torch writes no bytecode into its trace
    graphs = [name for name in ingested if name.endswith(("captured.py", "inference.py", "joint.py", "recompile.txt"))]
    assert graphs
    for name in graphs:
        assert ingested[name].replace(f"{live.parent}/", "<program>/") == captured[name]


@pytest.mark.parametrize("backend", ["eager", "aot"])
def test_the_same_artifacts_as_a_live_capture(backend, request, tmp_path):
    log, live = request.getfixturevalue(backend)
    compare(live, unjit.ingest(log, tmp_path / "out").directory)


@needs_compiler
def test_the_same_of_inductor(tmp_path):
    log, live = logged(tmp_path, "inductor", at_once=True)
    found = unjit.ingest(log, tmp_path / "out")
    compare(live, found.directory)
    assert found.compiles_of("toy")[0].kernels


def test_the_same_facts_as_a_live_capture(aot):
    ingested, captured = unjit.ingest(aot[0]), unjit.load(aot[1])
    logged, live = ((one.data.report.torch_version, one.data.report.python_version) for one in (ingested, captured))
    if since("2.13"):
        assert logged == live
    for said, is_ in zip(logged, live, strict=True):  # older torch does not tell one or the other
        assert said in (is_, "unknown, not in the log")
    assert [one.key for one in ingested.functions] == [
        renamed(one.key) for one in captured.functions if captured.compiles_of(one.key)
    ]
    for one, other in zip(ingested.compiles, captured.compiles, strict=True):
        assert (one.number, one.symbols and len(one.symbols)) == (other.number, other.symbols and len(other.symbols))
        assert one.inputs == other.inputs
        calls = () if isinstance(one.stack, Unknown) else one.stack
        told, whole = ([(call.place.line, call.of_torch) for call in stack] for stack in (calls, other.stack))
        assert told == whole[:-2] or (told == whole[:-1] and not since("2.9"))
        assert one.compile.outcome == other.compile.outcome == "compiled"
        assert one.compile.compile_id == other.compile.compile_id
        assert one.compile.failed_guards == other.compile.failed_guards
        assert {artifact.name for artifact in one.artifacts} == {artifact.name for artifact in other.artifacts}
    assert all(one.phases for one in ingested.data.run.compiles)


def test_what_is_exported_after_a_reset_is_of_no_compile_before_it(tmp_path):
    """Its numbers are those of the first compile; the log has no beginning of it."""
    program = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x.sin()

def idle(x):
    return x

torch.compile(idle, backend="eager")(torch.ones(2))
torch._dynamo.reset()
for _ in range(2):
    torch.export.export(Net(), (torch.ones(3),), strict=True)
"""
    log = {"TORCH_TRACE": str(tmp_path / "log")}
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **log}, check=True)
    found = unjit.ingest(tmp_path / "log")
    graphs = {one.function: [text.name for text in one.artifacts].count("captured") for one in found.compiles}
    assert graphs["idle"] == 0
    assert len(found.compiles) == 3


def test_what_a_log_does_not_hold_is_unknown_with_the_reason(aot):
    found = unjit.ingest(aot[0])
    entry = found.function("toy").entries[0]
    assert all(isinstance(fact, Unknown) for fact in (entry.code, entry.guards, entry.hits, entry.backend))
    assert "log" in str(entry.code.reason)
    assert isinstance(found.data.run.command, Unknown)
    assert any("which has no source" in loss for loss in found.losses)


def test_loaded_is_the_same_data(aot, tmp_path):
    found = unjit.ingest(aot[0], tmp_path / "out")
    assert unjit.load(tmp_path / "out").data == found.data
    assert unjit.ingest(aot[0]).data == found.data


def test_gzip_is_the_same(aot, tmp_path):
    (log,) = aot[0].iterdir()
    packed = tmp_path / "trace.log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    assert unjit.ingest(packed).data == unjit.ingest(log).data
    packed.write_bytes(packed.read_bytes()[:-2000])
    assert any("cannot be unpacked to its end" in loss for loss in unjit.ingest(packed).losses)


def test_a_log_can_be_cut_anywhere(eager, tmp_path):
    (log,) = eager[0].iterdir()
    data = log.read_bytes()
    cut = tmp_path / "cut.log"
    for end in [*range(60), *range(60, len(data), len(data) // 60)]:
        cut.write_bytes(data[:end])
        found = unjit.ingest(cut)
        whole = data[end - 1 : end + 1] in (b"\nV", b"\n") or data[end : end + 2] == b"\nV"
        said = any("middle of a record" in loss for loss in found.losses)
        assert said or whole or end == 0, end
        assert not any("could not be read" in loss for loss in found.losses), found.losses


def test_lines_and_records_that_torch_did_not_write_are_counted(eager, tmp_path):
    (log,) = eager[0].iterdir()
    data = log.read_bytes()
    prefix = data[: data.index(b"{")]
    odd = tmp_path / "odd.log"
    odd.write_bytes(data + b"a line\n" + prefix + b"[1]\n" + prefix + b'{"artifact": 3}\n' + data[: data.index(b"\n")])
    losses = "\n".join(unjit.ingest(odd).losses)
    assert "belong to no record: 1" in losses
    assert "as torch wrote them, and are left out: 1" in losses
    assert "could not be read: TypeError" in losses


def test_a_log_with_the_line_ends_of_windows_is_the_same(eager, tmp_path):
    (log,) = eager[0].iterdir()
    other = tmp_path / "trace.log"
    other.write_bytes(log.read_bytes().replace(b"\n", b"\r\n"))
    assert unjit.ingest(other).data == unjit.ingest(log).data


def test_file_names_that_a_log_lacks_are_counted(eager, tmp_path):
    (log,) = eager[0].iterdir()
    records = re.split(rb"(?m)^(?=V\d{4} )", log.read_bytes())
    named = [record for record in records if b'{"str": ' in record]
    part = tmp_path / "part.log"
    part.write_bytes(b"".join(record for record in records if record not in named))
    losses = "\n".join(unjit.ingest(part).losses)
    assert re.search("the log lacks the names of [1-9] files", losses), losses
    assert "lacks the names" not in "\n".join(unjit.ingest(log).losses)


def most_memory(log, times, folder):
    """Bytes that reading so many copies of a log takes at most, besides what was there before."""
    many = folder / f"{times}.log"
    many.write_bytes(log.read_bytes() * times)
    tracemalloc.start()
    try:
        ingest_log(LogFile(many), DiskFiles(folder / str(times)))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_what_the_index_says_and_not_with_the_log(aot, tmp_path):
    (log,) = aot[0].iterdir()
    few, many = 6, 16
    most_memory(log, 1, tmp_path)  # caches
    grown = most_memory(log, many, tmp_path) - most_memory(log, few, tmp_path)
    compiles = len(unjit.load(tmp_path / str(many)).compiles) - len(unjit.load(tmp_path / str(few)).compiles)
    assert compiles >= 80
    assert grown / compiles < 4_000, f"{grown / compiles:.0f} bytes for each compile"


def by_turns(records):
    """The records with those of all compiles mixed, but in their order within each."""
    waiting = {}
    for record in records:
        numbers = re.findall(rb'"frame_(?:compile_)?id": (\d+)', record.partition(b"\n")[0])
        waiting.setdefault(tuple(numbers), []).append(record)
    turns = itertools.zip_longest(*waiting.values())
    return [record for turn in turns for record in turn if record is not None]


def shuffled(records):
    return random.Random(1).sample(records, len(records))


@pytest.mark.parametrize("order", [by_turns, shuffled])
def test_compiles_that_a_log_comes_back_to_are_as_if_it_had_not_left_them(aot, tmp_path, monkeypatch, order):
    (log,) = aot[0].iterdir()
    records = re.split(rb"(?<=\n)(?=V\d{4} )", log.read_bytes())
    mixed = tmp_path / "mixed.log"
    mixed.write_bytes(b"".join(order(records)))
    monkeypatch.setattr(shelf, "MOST", 1_000)
    found = unjit.ingest(mixed).data
    assert len(found.compiles) < shelf.MOST
    monkeypatch.setattr(shelf, "MOST", 1)
    assert unjit.ingest(mixed).data == found


def test_a_full_disk_costs_no_fact(eager, tmp_path):
    whole = unjit.ingest(eager[0]).data
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
        found = unjit.ingest(eager[0], tmp_path / "out").data
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert any("File too large" in loss for loss in found.report.losses)
    assert replace(found, report=replace(found.report, losses=whole.report.losses)) == whole


@pytest.mark.parametrize("directory", [True, False])
def test_ranks_are_processes(eager, aot, tmp_path, directory):
    logs = tmp_path / "logs"
    logs.mkdir()
    for number, (log, _) in enumerate([aot, eager]):
        (one,) = log.iterdir()
        (logs / f"dedicated_log_torch_trace_rank_{number}_x.log").write_bytes(one.read_bytes())
    (logs / "notes.txt").write_text("not a log\n")
    found = unjit.ingest(logs, tmp_path / "out" if directory else None)
    assert sorted(found.processes) == ["rank_0", "rank_1"]
    assert found.processes["rank_0"].artifact("toy", 0, "inference")
    assert "see the other processes" in str(found)
    if directory:
        loaded = unjit.load(tmp_path / "out")
        assert loaded.processes["rank_1"].data == found.processes["rank_1"].data


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "unjit", "ingest", *arguments], check=False, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command(eager, tmp_path):
    out = tmp_path / "out"
    assert command(eager[0], "--out", out) == (0, f"begin with {out}/index.md\n", "")
    assert "compiled" in (out / "index.md").read_text()
    status, _, error = command(eager[0], "--out", out)
    assert (status, error.count("\n")) == (2, 1)
    assert "is not empty: give another directory" in error
    assert "--overwrite" not in error
    (tmp_path / "file").write_text("")
    status, printed, error = command(eager[0], "--out", tmp_path / "file" / "out")
    assert (status, printed, error.count("\n")) == (2, "", 1)
    assert "is not a directory: give one that is empty" in error


@pytest.mark.parametrize("what", ["an empty folder", "no log", "a missing path"])
def test_what_is_no_log_is_said_in_one_sentence(what, tmp_path):
    given = tmp_path / "given"
    if what == "an empty folder":
        given.mkdir()
    elif what == "no log":
        given.write_text("print(1)\n")
    status, printed, error = command(given, "--out", tmp_path / "out")
    assert (status, printed, error.count("\n")) == (2, "", 1)
    assert str(given) in error
    assert "TORCH_TRACE" in error
    assert not (tmp_path / "out").exists()


def test_a_log_without_a_record_is_said_to_have_none(tmp_path):
    (tmp_path / "empty.log").write_text("")
    found = unjit.ingest(tmp_path / "empty.log").data.report
    assert "the log has no record of torch's in it: whether the program compiled anything is not known" in found.losses
