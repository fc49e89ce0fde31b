"""What aot_compile makes, as vLLM's models are compiled: an entry that no cache has."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import unjit
from needs import needs, refused_before
from stepped import session as stepped
from toys import needs_compiler
from unjit.errors import Unsupported
from unjit.model import Unknown
from unjit.rewrite import drop
from unjit.torch_private.probes.call_probes import GET_CALL_HOOK
from unjit.torch_private.probes.trace_probes import AHEAD_FUNCTION, COMPILE_AHEAD

VOLATILE = {"run.json", "trace.json", "report.html"}  # these have times
pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    needs(COMPILE_AHEAD, AHEAD_FUNCTION),
    refused_before("2.12", "has no aot_compile with these arguments"),
]


@pytest.fixture(autouse=True)
def none_before():
    """What earlier tests made is gone: an explanation finds what Python has not collected yet, too."""
    gc.collect()


def scaled(x, times):
    y = x.sin() * times
    return y.relu().sum()


def ahead(function=scaled, backend="eager"):
    return torch.compile(function, fullgraph=True, backend=backend).aot_compile(((torch.ones(4), 3), {}))


def test_it_is_explained_with_its_entry():
    compiled = ahead()
    explanation = unjit.explain(compiled)
    (entry,) = explanation.entries
    assert entry.data.kind == "ahead of time"
    assert entry.data.code.verdict in ("identical", "equivalent")
    assert len(entry.graphs) == 1
    assert isinstance(entry.compile_id, Unknown)
    assert isinstance(entry.hits, Unknown)
    told = str(explanation)
    assert "It has 1 entry made ahead of time." in told
    assert "what that returned runs it, calls of the function do not" in told
    assert "times == 3" in told
    assert "cache entr" not in told
    assert repr(explanation) == "<unjit.Explanation of scaled: 1 entry made ahead of time, 1 function>"


def test_the_function_it_was_made_from_tells_of_it():
    compiled = ahead()
    assert [entry.data.kind for entry in unjit.explain(scaled).entries] == ["ahead of time"]
    assert "scaled" in {str(function.name) for function in unjit.explain().functions}
    del compiled
    gc.collect()
    assert not unjit.explain(scaled).entries


def test_what_was_asked_for_comes_first():
    first, second = ahead(), ahead(backend="aot_eager")
    assert [str(entry.backend) for entry in unjit.explain(second).entries] == ["aot_eager", "eager"]
    assert [str(entry.backend) for entry in unjit.explain(first).entries] == ["eager", "aot_eager"]


def test_beside_entries_of_the_cache_it_is_counted_apart():
    compiled = ahead()
    torch.compile(scaled, backend="eager")(torch.ones(4), 3)
    assert "It has 1 cache entry and 1 entry made ahead of time." in str(unjit.explain(compiled))


def test_its_parts_can_be_asked_and_run():
    compiled, x = ahead(), torch.ones(4)
    (entry,) = unjit.explain(compiled).entries
    assert (entry.check(x, 3), entry.check(x, 4)) == (True, False)
    assert entry.guards.check(x, 3)
    assert entry.guards.predicate(entry.guards.frame(x, 3))
    assert not entry.guards.predicate(entry.guards.frame(torch.ones(5), 3))
    assert torch.equal(entry.run(x, 3), compiled(x, 3))
    copy = entry.copy(guards=drop("times"))
    assert copy.check(x, 4)
    assert torch.equal(copy.run(x, 4), compiled(x, 3))
    with copy.install():
        assert torch.equal(torch.compile(scaled, backend="eager")(x, 4), compiled(x, 3))


def test_it_is_in_no_cache_that_it_could_be_taken_out_of():
    compiled = ahead()
    with pytest.raises(Unsupported, match="in no cache"):
        unjit.explain(compiled).entries[0].invalidate()


def test_why_says_that_nothing_is_compiled_when_it_is_called():
    compiled, x = ahead(), torch.ones(4)
    fits, fails = unjit.why(compiled, x, 3), unjit.why(compiled, x, 4)
    assert (fits.outcome, fits.entry) == ("runs an entry", 0)
    assert (fails.outcome, fails.entry) == ("raises", None)
    assert "times: expected 3, actual 4" in str(fails)
    assert "Or compile it ahead of time for such a call, too" in str(fails)
    with pytest.raises(RuntimeError):
        compiled(x, 4)
    compiled.disable_guard_check()
    assert (unjit.why(compiled, x, 4).outcome, compiled(x, 4) is not None) == ("runs an entry", True)


def test_its_source_is_that_of_the_code_that_runs():
    compiled = ahead()
    text = unjit.getsource(compiled)
    assert text.startswith("# entry 0\n")
    assert "def scaled(x, times):" in text
    assert "__compiled_fn_" in text
    assert "__compiled_fn_" in unjit.getsource(compiled.fn)


@needs_compiler
def test_a_capture_has_all_of_it_under_the_function(tmp_path):
    with unjit.capture(tmp_path, fresh=True) as session:
        compiled = ahead(backend="inductor")
    assert compiled is not None
    (compile_,) = session.compiles
    assert (str(compile_.function), compile_.compile.outcome) == ("scaled", "compiled")
    assert compile_.compile.backend == "inductor"
    assert compile_.compile.breaks == ()
    assert compile_.compile.seconds > 0
    (entry,) = session.function("scaled").entries
    assert (entry.kind, entry.compile_id) == ("ahead of time", compile_.compile.compile_id)
    assert {"captured", "inference", "inference_post_grad_after", "inference_output_code", "guards"} <= {
        str(artifact.name) for artifact in compile_.artifacts
    }
    assert [kernel.half for kernel in compile_.kernels] == ["inference"]
    assert not session.data.outside
    assert not session.losses
    assert "1 entry made ahead of time" in (tmp_path / "index.md").read_text()


PROGRAM = """
import torch
def scaled(x, times):
    return (x.sin() * times).relu().sum()
made = torch.compile(scaled, fullgraph=True, backend="aot_eager").aot_compile(((torch.ones(4), 3), {}))
print(made(torch.ones(4), 3))
"""


def test_two_runs_of_a_program_give_the_same_files(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    for name in ("a", "b"):
        command = [sys.executable, "-m", "unjit", "run", "--out", name, "program.py"]
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert told.stdout == "tensor(10.0977)\n"
        assert "scaled  program.py:3  1 entry made ahead of time, 1 graph" in told.stderr
    paths = [path for path in (tmp_path / "a").rglob("*") if path.is_file() and path.name not in VOLATILE]
    assert {"transformed.py", "captured.py", "guards.txt"} <= {path.name for path in paths}
    for path in paths:
        assert path.read_text() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_text(), path


def test_of_one_that_the_program_dropped_the_code_is_kept():
    with unjit.capture() as session:
        ahead()
        gc.collect()
    (entry,) = session.function("scaled").entries
    assert entry.kind == "ahead of time"
    assert "kept it no longer" in str(entry.invalid)
    assert entry.code.verdict in ("identical", "equivalent")
    assert session.function("scaled").status.state == "invalidated"


def test_of_one_after_gc_freeze_it_is_not_said_that_it_is_gone():
    """As in vLLM: the garbage collector then finds nothing that refers to anything."""
    with unjit.capture() as session:
        compiled = ahead()
        gc.freeze()
    try:
        (entry,) = session.function("scaled").entries
        assert (entry.kind, entry.invalid) == ("ahead of time", None)
        assert len(entry.guards) == 7
        assert entry.code.verdict in ("identical", "equivalent")
        assert ".sin()" in entry.graphs[0].source
        assert entry.compile_id == session.compiles[0].compile.compile_id
        assert len(unjit.explain(compiled).entries) == 1
    finally:
        gc.unfreeze()


def test_of_one_that_fails_it_is_not_said_that_it_was_compiled():
    def refusing(graph, inputs):
        raise ValueError("not this one")

    with unjit.capture() as session, pytest.raises(Exception, match="not this one"):
        ahead(backend=refusing)
    (compile_,) = session.compiles
    assert compile_.compile.outcome == "failed"
    assert "not this one" in compile_.compile.error
    assert "captured" in {str(artifact.name) for artifact in compile_.artifacts}


def test_what_is_compiled_next_is_not_taken_for_a_part_of_it():
    with unjit.capture() as session:
        compiled = ahead()
        torch.compile(lambda x: x.cos(), backend="eager")(torch.ones(3))
        again = ahead(lambda x, times: x.tan() + times)
    assert compiled is not again
    assert [one.compile.outcome for one in session.compiles] == ["compiled"] * 3
    assert len({str(one.function) for one in session.compiles}) == 3
    assert [len(one.entries) for one in session.functions] == [1, 1, 1]


@needs_compiler
def test_one_that_is_read_from_a_file_is_explained(tmp_path):
    ahead(backend="inductor").save_compiled_function(str(tmp_path / "made"))
    with unjit.capture(tmp_path / "out") as session, (tmp_path / "made").open("rb") as file:
        loaded = torch.compiler.load_compiled_function(file)
    (entry,) = session.function("scaled").entries
    assert entry.kind == "ahead of time"
    (live,) = unjit.explain(loaded).entries
    assert torch.equal(live.run(torch.ones(4), 3), loaded(torch.ones(4), 3))
    assert unjit.why(loaded, torch.ones(4), 3).entry == 0


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x).relu()


def test_the_forward_of_a_module_as_vllm_compiles_it():
    net = Net()
    compiled = torch.compile(net.forward, fullgraph=True, backend="eager").aot_compile(((torch.ones(2, 4),), {}))
    (entry,) = unjit.explain(net).entries
    assert entry.data.kind == "ahead of time"
    with torch.no_grad():
        assert unjit.why(compiled, net, torch.ones(2, 4)).outcome == "raises"  # it was made with gradients
    assert torch.equal(entry.run(torch.ones(2, 4)), net(torch.ones(2, 4)))
    assert unjit.why(compiled, net, torch.ones(2, 4)).entry == 0


def test_it_is_stepped_instruction_by_instruction():
    compiled = ahead()
    assert "generated code of scaled" in stepped(compiled, torch.ones(4), 3, commands=["s", "s", "c"], own=scaled)[1]


def test_it_runs_from_a_page_while_a_block_of_debug_lasts(tmp_path, capsys):
    compiled, x = ahead(backend="aot_eager"), torch.ones(4)
    own, expected = compiled.fn.__code__, compiled(x, 3)
    with unjit.debug(compiled, directory=tmp_path / "pages"):
        assert Path(compiled.fn.__code__.co_filename).name == "transformed.py"
        assert "graph_out_0 = __compiled_fn_" in inspect.getsource(compiled.fn)
        assert torch.equal(compiled(x, 3), expected)
    assert compiled.fn.__code__ is own
    assert "transformed.py" in capsys.readouterr().err


@needs(GET_CALL_HOOK)
def test_its_runs_are_counted_as_those_of_entries_are():
    compiled, other, x = ahead(), ahead(backend="aot_eager"), torch.ones(4)
    assert isinstance(unjit.explain(compiled).entries[0].hits, Unknown)
    unjit.explain(other)
    own = type(compiled).__call__
    with unjit.count_calls() as outer:
        compiled(x, 3)
        with unjit.count_calls() as inner:
            compiled(x, 3)
            with pytest.raises(RuntimeError):
                compiled(x, 4)  # its guards do not hold: it does not run
        assert "1 run of cache entries" in repr(inner)
    compiled(x, 3)
    assert "2 runs of cache entries" in repr(outer)
    assert type(compiled).__call__ is own
    assert unjit.explain(compiled).entries[0].hits == 2
    assert unjit.explain(other).entries[0].hits == 0
