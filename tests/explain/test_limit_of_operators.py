"""Functions that torch's own operators compile, one by one and without a limit of entries."""

from __future__ import annotations

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

import unjit
from needs import refused_before
from unjit.comparison.runs.calls import CallComparer
from unjit.findings import concerns
from unjit.observe.recorded.report import read_run
from unjit.torch_private.calling.compiled_calls import on_compiled_calls

pytestmark = refused_before("2.13", "compiles other wrappers of operators")


def adds(number: int):
    names: dict = {}
    exec(f"def score(s, b, h, q, k): return s + {number}", names)  # a code object of its own
    return names["score"]


@pytest.mark.parametrize("times", [8, 9])
def test_an_operator_that_is_called_in_eager_has_no_limit(recorder, times):
    query = torch.ones(1, 1, 16, 8)
    with torch.no_grad():
        for number in range(times):
            flex_attention(query, query, query, score_mod=adds(number))
    (wrapper,) = (function for function in read_run(recorder).functions if function.qualname.endswith("_hop_wrapper"))
    assert len(wrapper.entries) == times
    assert wrapper.status.state == "compiled"


def test_what_has_no_closure_is_no_function(recorder):
    query, compiled = torch.ones(1, 1, 16, 8), torch.compile(flex_attention, backend="eager")
    shift = torch.ones(())
    with torch.no_grad():
        compiled(query, query, query, score_mod=lambda s, b, h, q, k: s + shift)
        compiled(query, query, query)
    conditions = [
        guard.condition
        for function in read_run(recorder).functions
        for one in function.compiles
        for guard in one.failed_guards
    ]
    assert conditions
    assert not any("Accessor" in condition for condition in conditions)


def test_a_recompile_of_what_is_in_a_library_says_who_called(tmp_path):
    query, compiled = torch.ones(1, 1, 16, 8), torch.compile(flex_attention, backend="eager")
    torch._dynamo.reset()
    with torch.no_grad(), unjit.capture(tmp_path / "out") as session:
        compiled(query, query, query)
        compiled(query, query, query, score_mod=adds(1))
    (recompiled,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert [(caller.function, caller.code) for caller in recompiled.callers] == [
        (
            "test_a_recompile_of_what_is_in_a_library_says_who_called",
            "compiled(query, query, query, score_mod=adds(1))",
        )
    ]
    assert "called from " in session.summary()


def test_what_an_operator_compiles_for_itself_is_not_compared():
    query, told, failures = torch.ones(1, 1, 16, 8), [], []
    comparer = CallComparer(["eager"], 3, told.append)
    end = on_compiled_calls(comparer, failures.append)
    try:
        with torch.no_grad():
            flex_attention(query, query, query)
            torch.cond(query.sum() > 0, torch.sin, torch.cos, (query,))
            torch.compile(lambda x: x.sin(), backend="eager")(query)
    finally:
        end()
    assert [one.function.rpartition(".")[2] for one in told] == ["<lambda>"]
    assert not failures
    assert comparer.uncompared == 0


def test_a_limit_of_a_call_of_its_own_is_not_torchs_setting():
    torch._dynamo.reset()
    narrow = torch.compile(lambda x, word: x + len(word), backend="eager", recompile_limit=1)
    wide = torch.compile(lambda x, word: x * len(word), backend="eager", recompile_limit=20)
    for times in range(8):
        wide(torch.ones(1), "a" * times)
    narrow(torch.ones(1), "a")
    assert "Raise the recompile_limit that torch.compile was given if so" in str(unjit.why(narrow, torch.ones(1), "b"))
    status = unjit.explain(wide).functions[0].data.status
    assert "unless torch.compile was given another limit" in status.detail
    assert unjit.why(wide, torch.ones(1), "b").outcome == "compiles"
    wide(torch.ones(1), "b")
    assert unjit.explain(wide).functions[0].data.status.state == "compiled"
