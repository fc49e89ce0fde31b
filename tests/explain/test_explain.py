"""`explain` on the toy example: branch on data, static then dynamic shapes, backward; on three backends."""

from __future__ import annotations

import dataclasses
import gc
import json
import sys
import threading

import pytest
import torch
import torch._dynamo

import unjit
from needs import lacking, needs, refused_before, since
from of_file import of_file
from toys import BACKENDS, toy
from unjit.model import SCHEMA_VERSION, Unknown
from unjit.torch_private.probes.cache_probes import ENTRY_BACKEND, PRECOMPILE_ENTRIES


def run_toy(backend):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(toy, backend=backend)
    for size in (10, 10, 12, 14):
        a = torch.randn(size, requires_grad=True)
        compiled(a, -torch.ones(size)).sum().backward()
        compiled(a, torch.ones(size))
    return compiled


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param


def test_entries_in_the_order_in_which_they_are_tried(backend):
    explanation = unjit.explain(run_toy(backend))
    assert [str(entry.compile_id) for entry in explanation.entries] == ["0/1", "0/0"]
    if not lacking(ENTRY_BACKEND):
        assert {entry.backend for entry in explanation.entries} == {backend}
    assert all(isinstance(entry.hits, Unknown) for entry in explanation.entries)


def test_the_original_and_the_compiled_function_give_the_same_answer(backend):
    compiled = run_toy(backend)
    assert unjit.explain(compiled).report == unjit.explain(toy).report


def test_graphs_are_found_alive_with_shapes_strides_dtypes_and_devices(backend):
    explanation = unjit.explain(run_toy(backend))
    dynamic, static = (entry.graphs[0] for entry in explanation.entries)
    assert "torch.abs" in static.source
    assert "f32[10][1]cpu" in static.source
    assert static.operations == 5
    (a, b) = static.inputs
    assert (a.source, a.tensor.shape, a.tensor.stride, a.tensor.dtype, a.tensor.device) == (
        "L['a']", ("10",), ("1",), "float32", "cpu",
    )  # fmt: skip
    assert b.source == "L['b']"
    assert [graph_input.tensor is None for graph_input in dynamic.inputs] == [True, False, True, False]
    assert dynamic.inputs[0].value == dynamic.inputs[1].tensor.shape[0]


__SWITCH = 2


def test_a_global_that_begins_with_underscores_is_no_library(backend):
    def switched(x):
        return x * __SWITCH if __name__ else x

    run = torch.compile(switched, backend=backend)
    run(torch.ones(2))
    groups = {group.topic: group.guards for group in unjit.explain(run).entries[0].guards.groups()}
    assert {guard.subject for guard in groups["globals"]} == {"__SWITCH", "__name__"}


@refused_before("2.9", "does not tell which line caused a guard on a tensor")
def test_guards_are_grouped_and_name_the_users_lines(backend):
    dynamic, static = unjit.explain(run_toy(backend)).entries
    topics = {group.topic: group.guards for group in static.guards.groups()}
    tensor = next(g for g in topics["arguments"] if g.kind == "TENSOR_MATCH" and g.subject == "a")
    assert tensor.condition == "a: float32 on cpu, shape (10,), stride (1,), requires grad"
    assert tensor.cause.code == "x = a / (torch.abs(a) + 1)"
    assert tensor.cause.file == toy.__code__.co_filename
    assert "any" in next(g for g in dynamic.guards if g.subject == "a").condition
    assert any("size" in g.condition for g in dynamic.guards.groups()[1].guards)
    assert {g.subject for g in topics["libraries"]} == {"torch", "torch.abs"}
    assert sum(len(group.guards) for group in static.guards.groups()) == len(static.guards)
    assert [static.guards[number] for number in range(len(static.guards))] == list(static.guards)


def test_no_guard_that_torch_prints_is_missing(backend):
    explanation = unjit.explain(run_toy(backend))
    raw = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(toy.__code__)
    for entry, live in zip(explanation.entries, raw, strict=True):
        ours = {" ".join(part.split()) for guard in entry.guards for part in guard.parts}
        printed = [line.split(": ", 1)[1] for line in str(live.guard_manager).splitlines() if "_MATCH: " in line]
        for line in printed:
            assert any(line.startswith(part[:60]) for part in ours), line


def test_resume_functions_show_the_line_where_they_go_on(backend):
    explanation = unjit.explain(run_toy(backend))
    negative, positive = explanation.entries[0].resume_functions
    lines = toy.__code__.co_firstlineno
    assert negative.data.resume.place.line == lines + 3
    assert positive.data.resume.place.line == lines + 4
    assert all(handle.name.isidentifier() for handle in explanation.functions)
    assert negative.data.resume.locals == ("b", "x")
    assert negative.data.resume.stack == ()
    assert [str(entry.compile_id) for entry in negative.entries] == ["1/1", "1/0"]
    marked = [line for line in str(explanation).splitlines() if "<== resumes here" in line]
    assert any("b = b * -1" in line for line in marked)
    assert any("return x * b" in line for line in marked)


def test_breaks_and_recompiles_are_explained(backend):
    explanation = unjit.explain(run_toy(backend))
    first, second = explanation.functions[0].data.compiles
    (broke,) = first.breaks
    assert broke.reason == "Data-dependent branching"
    assert broke.place.code == "if b.sum() < 0:"
    assert broke.hints or not since("2.13")
    assert first.failed_guards == ()
    (failed,) = second.failed_guards
    assert failed.entry == "0/0"
    assert "size mismatch" in failed.condition


def test_the_text_says_it_in_plain_words(backend):
    text = str(unjit.explain(run_toy(backend)))
    for sentence in (
        "toy is a function optimised by Dynamo. It has 2 cache entries, tried in this order.",
        "Entry 0/0 did not fit: tensor 'a' size mismatch",
        "Graph break: Data-dependent branching",
        "It calls 1 graph:",
        "It continues in 2 resume functions:",
        "arguments (6)",
        "hits: unknown (calls were not counted",
    ):
        assert sentence in text


def test_a_backend_that_keeps_no_graph_is_told_as_such():
    torch._dynamo.reset()

    def forgetful(graph, example):
        return lambda *args: (args[0] * 2,)

    torch.compile(lambda x: x * 2, backend=forgetful)(torch.ones(2))
    (found,) = of_file(unjit.explain(), __file__)
    (graph,) = found.data.entries[0].graphs
    assert graph.source == Unknown("not kept by the backend; capture it")
    assert "capture it" in str(unjit.explain())


def test_guards_on_torchs_own_state_are_told_in_words_when_they_failed():
    torch._dynamo.reset()
    double = torch.compile(lambda x: x * 2, backend="eager")
    double(torch.ones(3))
    with torch.no_grad():
        double(torch.ones(3))
    assert "Failed so far: torch state (1 time)." in str(unjit.explain(double).entries[1])


def test_repr_is_one_line_and_json_has_the_schema():
    explanation = unjit.explain(run_toy("eager"))
    assert repr(explanation) == "<unjit.Explanation of toy: 2 cache entries, 3 functions>"
    assert json.loads(explanation.to_json())["schema"] == SCHEMA_VERSION
    assert explanation._repr_mimebundle_()["text/plain"] == str(explanation)
    assert "&lt;== resumes here" in explanation._repr_html_()


def test_a_notebook_shows_every_answer_in_full():
    compiled = run_toy("eager")
    explanation = unjit.explain(compiled)
    entry = explanation.entries[0]
    given = (torch.ones(4), torch.ones(4))
    answers = (unjit.why(compiled, *given), unjit.compare(compiled, *given), unjit.diff(entry, entry))
    for answer in (entry, explanation.functions[0], *answers):
        assert answer._repr_mimebundle_(include=None, exclude=None) == {"text/plain": str(answer)}
        assert str(answer) != repr(answer)


def test_asking_changes_nothing_and_keeps_nothing_alive():
    torch._dynamo.reset()
    big = torch.ones(5)

    def f(x):
        x = x + big
        torch._dynamo.graph_break()
        return x * 2

    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(5))
    (live,) = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(f.__code__)
    named = [globals()[name] for name in live.code.co_names if name.startswith("__")]  # graphs and resume functions
    watched = [live.code, live.guard_manager, f, f.__code__, big, *named]

    def state():
        gc.collect()
        return (
            [sys.getrefcount(value) for value in watched],
            set(globals()),
            dict(torch._dynamo.utils.counters["frames"]),
        )

    before = state()
    explanation = unjit.explain(compiled)
    str(explanation)
    assert explanation.entries[0].code.source
    assert state() == before


def test_a_handle_says_when_its_entry_is_gone():
    explanation = unjit.explain(run_toy("eager"))
    explanation.entries[0]._live = dataclasses.replace(explanation.entries[0]._live, code=lambda: None)
    with pytest.raises(unjit.UnjitError, match="no longer exists"):
        _ = explanation.entries[0].code
    assert explanation.entries[0].data.code.source


def test_threads_can_ask_while_others_compile():
    torch._dynamo.reset()
    errors = []

    def work(number):
        def f(x):
            x = x + number
            torch._dynamo.graph_break()
            return x * number

        try:
            compiled = torch.compile(f, backend="eager")
            for size in range(2, 5):
                assert torch.equal(compiled(torch.ones(size)), f(torch.ones(size)))
                assert "optimised by Dynamo" in str(unjit.explain(f))
                str(unjit.explain())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not errors


@refused_before("2.7", "has no guard_filter_fn")
def test_an_entry_without_guards_is_said_to_run_for_any_call():
    compiled = torch.compile(toy, backend="eager", options={"guard_filter_fn": lambda guards: [False for _ in guards]})
    compiled(torch.ones(3), torch.ones(3))
    told = str(unjit.explain(compiled))
    if unjit.explain(compiled).entries[0].guards:
        pytest.skip("refused: this torch lets nobody leave out the guards on its own state")
    assert "It has no guards: it runs for any call" in told
    assert "0 guards" not in told


@needs(PRECOMPILE_ENTRIES)
def test_precompiled_entries_come_first():
    run_toy("eager")
    (newest, *_) = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(toy.__code__)
    torch._C._dynamo.eval_frame._load_precompile_entry(toy.__code__, newest.guard_manager, newest.code)
    try:
        explanation = unjit.explain(toy)
        assert [entry.data.kind for entry in explanation.entries] == ["precompiled", "cache entry", "cache entry"]
        assert isinstance(explanation.entries[0].compile_id, Unknown)
        assert "precompiled, compile unknown" in str(explanation)
        assert "Cache entry number 1 of 3\n" in str(explanation)
    finally:
        torch._C._dynamo.eval_frame._reset_precompile_entries(toy.__code__)
