"""The recorder: what it notes of real compiles, and that nothing that happens in it reaches the user's program."""

from __future__ import annotations

import gc
import logging
import logging.config
import sys
import threading
import weakref
from pathlib import Path

import pytest
import torch

import unjit
from needs import refused_before, since
from toys import branch, needs_compiler
from unjit.model import Unknown
from unjit.observe.listening import recorder as recorders
from unjit.observe.listening.copied_code import holds_only_plain_constants
from unjit.observe.recorded.report import read_run
from unjit.render.functions.entries import View
from unjit.render.functions.function import function_section
from unjit.render.functions.summary import summary_line


def compiled(function, **options):
    return torch.compile(function, backend="eager", **options)


def function_called(report, name):
    return next(function for function in report.functions if function.key == name)


@pytest.mark.smoke
def test_breaks_recompiles_entries_and_times(recorder):
    run = compiled(branch)
    run(torch.ones(3))
    run(torch.ones(4))
    report = read_run(recorder)
    found = function_called(report, "branch")
    assert [entry.compile_id for entry in found.entries] == [found.compiles[1].compile_id, found.compiles[0].compile_id]
    assert [compile_.outcome for compile_ in found.compiles] == ["compiled", "compiled"]
    first, second = found.compiles
    assert first.failed_guards == ()
    (failed,) = second.failed_guards
    assert (failed.entry, failed.condition) == ("0/0", "tensor 'a' size mismatch at index 0. expected 3, actual 4")
    (broke,) = first.breaks
    assert broke.reason in {"Data-dependent branching", "Data-dependent jump"}  # torch 2.6 has the other word for it
    assert (broke.place.file, broke.place.code) == (branch.__code__.co_filename, "if a.sum() < 0:")
    if since("2.9"):
        assert broke.hints
        assert broke.link is None or broke.link.startswith("https://")
    assert all(compile_.seconds > 0 for compile_ in found.compiles)
    assert report.losses == ()


@refused_before("2.9", "makes no entry without a graph")
def test_an_entry_without_a_graph_was_compiled(recorder):
    def size(x):
        return x.size(0)

    compiled(size, fullgraph=True)(torch.ones(3))  # without fullgraph=True Dynamo leaves it alone
    (alive,) = read_run(recorder).functions
    torch._dynamo.reset()
    (dropped,) = read_run(recorder).functions
    assert (alive.status.state, dropped.status.state) == ("compiled", "invalidated")
    assert [one.outcome for one in (*alive.compiles, *dropped.compiles)] == ["compiled", "compiled"]
    assert len(dropped.entries) == 1


def test_what_a_reset_drops_is_still_told(recorder):
    run = compiled(branch)
    run(torch.ones(3))
    torch._dynamo.reset()
    run(torch.ones(3))
    torch._dynamo.reset()
    found = function_called(read_run(recorder), "branch")
    assert [str(compile_.compile_id) for compile_ in found.compiles] == ["0/0 (1 reset ago)", "0/0"]
    assert [entry.invalid is not None for entry in found.entries] == [True, True]
    assert found.status.state == "invalidated"
    assert all("forward" in graph.source for entry in found.entries for graph in entry.graphs)


def test_what_went_with_an_object_is_still_told(recorder):
    class Net(torch.nn.Module):
        def forward(self, x):
            return x + id(self) % 1

    net = Net()
    compiled(net)(torch.ones(3))
    del net
    gc.collect()
    name = "Net_forward" if sys.version_info >= (3, 11) else "forward"  # before, code does not tell
    (entry,) = function_called(read_run(recorder), name).entries
    assert "got deallocated" in entry.invalid
    assert entry.code.name == "forward"
    assert "forward" in entry.graphs[0].source


def test_a_function_that_is_gone_is_still_told(recorder):
    scope = {"torch": torch}
    exec(compile("def short_lived(x):\n    return x + 1\n", __file__, "exec"), scope)
    compiled(scope["short_lived"])(torch.ones(3))
    scope.clear()
    torch._dynamo.reset()
    gc.collect()
    assert [entry.code.name for entry in function_called(read_run(recorder), "short_lived").entries] == ["short_lived"]


def test_nothing_is_kept_alive(recorder):
    class Box:
        pass

    def use_and_forget():
        box, model = Box(), torch.nn.Linear(3, 3)

        def use(x):
            return model(x) + (1 if box else 0)

        compiled(use)(torch.ones(3))
        return weakref.ref(box), weakref.ref(model.weight)

    alive, parameter = use_and_forget()
    torch._dynamo.reset()
    gc.collect()
    assert (alive(), parameter()) == (None, None)


@refused_before("2.9", "does not say that a compile ended at the recompile limit")
@torch._dynamo.config.patch(cache_size_limit=2)
def test_failures_skips_and_the_limit(recorder):
    def many(x, word):
        return x + len(word)

    def whole(x):
        torch._dynamo.graph_break()
        return x

    def looping(x):
        for _ in range(2):
            torch._dynamo.graph_break()
        return x

    def broken_backend(graph, inputs):
        raise ValueError("no backend")

    run = compiled(many)
    for word in ("a", "bb", "ccc", "dddd"):
        run(torch.ones(2), word)
    with pytest.raises(Exception, match=r"graph.break"):
        compiled(whole, fullgraph=True)(torch.ones(2))
    compiled(looping)(torch.ones(2))
    with pytest.raises(Exception, match="no backend"):
        torch.compile(lambda x: x + 1, backend=broken_backend)(torch.ones(2))
    report = read_run(recorder)
    states = {function.key: function.status.state for function in report.functions}
    assert states == {"many": "recompile limit", "whole": "failed", "looping": "skipped", "lambda_": "failed"}
    assert "See its failed compiles." in str(function_called(report, "whole").status.advice)
    assert function_called(report, "many").compiles[-1].wraps == ()
    refused = "skipped" if since("2.9") else "running"  # torch 2.6 does not tell that it ended
    assert [one.outcome for one in function_called(report, "many").compiles] == ["compiled", "compiled", refused]
    why = function_called(report, "many").compiles[-1].backend.reason
    assert why == "it made no entry, which alone would tell"
    (broke,) = function_called(report, "looping").compiles[0].breaks
    if since("2.13"):
        assert broke.reason == "Call to `torch._dynamo.graph_break()`; while handling it: graph break in loop"


@needs_compiler
def test_backends_that_keep_no_graph_are_shown_by_the_trace(recorder):
    run = torch.compile(lambda x: x * 2 + 1)
    run(torch.ones(3, requires_grad=True)).sum().backward()
    (graph,) = function_called(read_run(recorder), "lambda_").entries[0].graphs
    assert "l_x_ * 2" in graph.source
    assert "torch.nn.Module" in graph.source
    assert graph.operations == 2


def test_errors_of_ours_stay_ours(recorder, monkeypatch):
    def fail(*_):
        raise RuntimeError("ours")

    monkeypatch.setattr(recorders.Recorder, "_compile", fail)
    assert compiled(branch)(torch.ones(3)).tolist() == [4.0, 4.0, 4.0]
    monkeypatch.undo()
    losses = read_run(recorder).losses
    assert losses
    assert all("ours" in loss for loss in losses)


def test_records_of_another_shape_are_noted_not_raised(recorder):
    log = logging.getLogger("torch.__trace")
    for metadata in ({}, {"artifact": {}}, {"dynamo_start": {}}, {"compilation_metrics": None}, None, {"artifact": 3}):
        log.debug("", extra={"metadata": metadata, "payload": 5})
    assert recorder.errors
    compiled(branch)(torch.ones(3))
    assert function_called(read_run(recorder), "branch").entries


def test_only_so_many_errors_are_kept(recorder):
    for _ in range(1000):
        recorder.note(ValueError("again"))
    assert len(recorder.errors) < 100


@pytest.mark.parametrize("silence", ["disabled", "level", "removed"])
def test_a_trace_that_was_switched_off_is_said(recorder, silence):
    log = logging.getLogger("torch.__trace")
    level = log.level
    compiled(branch)(torch.ones(3))
    if silence == "disabled":
        log.disabled = True
    elif silence == "level":
        log.setLevel(logging.CRITICAL)
    else:
        log.removeHandler(recorder)
    try:
        compiled(lambda x: x - 1)(torch.ones(3))
        report = read_run(recorder)
    finally:
        log.disabled = False
        log.setLevel(level)
    assert any("compiles may be missing" in loss for loss in report.losses)
    assert {"branch", "lambda_"} <= {function.key for function in report.functions}


@pytest.mark.parametrize("exempt", [True, False])
def test_all_logs_switched_off_cost_nothing_or_are_named(recorder, exempt, monkeypatch):
    trace = vars(logging.getLogger("torch.__trace"))
    exempt = exempt and "isEnabledFor" in trace  # torch 2.13 puts it there, so that its trace goes on
    if not exempt:
        monkeypatch.delitem(trace, "isEnabledFor", raising=False)
    logging.disable(logging.ERROR)
    try:
        compiled(branch)(torch.ones(3))
        report = read_run(recorder)
    finally:
        logging.disable(logging.NOTSET)
    assert function_called(report, "branch").compiles
    assert [loss.rpartition(" (")[2] for loss in report.losses] == ([] if exempt else ["logging.disable)"])


def test_logging_configured_anew_does_not_end_the_recording(recorder):
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False})
    logging.shutdown()
    compiled(branch)(torch.ones(3))
    assert function_called(read_run(recorder), "branch").compiles
    assert read_run(recorder).losses == ()


def test_threads(recorder):
    def work(number):
        scope = {}
        exec(compile(f"def f{number}(x):\n    return x + {number}\n", __file__, "exec"), scope)
        results.append(compiled(scope[f"f{number}"])(torch.zeros(2)).tolist() == [number] * 2)
        kept.append(scope)

    results, kept = [], []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8
    report = read_run(recorder)
    assert {function.key for function in report.functions} == {f"f{number}" for number in range(8)}
    assert recorder.errors == []


def test_what_gets_no_entry_was_not_compiled(recorder):
    def without_tensors(x):
        return x

    compiled(without_tensors)(torch.ones(2))
    (found,) = read_run(recorder).functions
    assert (found.entries, found.status.state) == ((), "skipped")
    assert [one.outcome for one in found.compiles] == ["skipped"]


def test_a_compile_that_never_ended(recorder):
    log = logging.getLogger("torch.__trace")
    log.debug("", extra={"metadata": {"dynamo_start": {}, "frame_id": 7, "frame_compile_id": 0}, "payload": None})
    (function,) = read_run(recorder).functions
    assert function.compiles[0].outcome == "running"
    assert isinstance(function.compiles[0].seconds, Unknown)


def test_the_report_survives_json(recorder):
    compiled(branch)(torch.ones(3))
    torch._dynamo.reset()
    compiled(branch)(torch.ones(3))
    report = read_run(recorder)
    assert type(report).from_dict(report.to_dict()) == report


def test_after_stop_nothing_is_recorded(recorder):
    compiled(branch)(torch.ones(3))
    before = len(recorder.compiles)
    recorder.stop()
    compiled(lambda x: x - 1)(torch.ones(3))
    assert len(recorder.compiles) == before


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("def f(): return 1, 'a', 1.5, None, ..., b'x', (1, (2,)), frozenset({3})", True),
        ("def f(): return lambda: {1, 2, 3}", True),
    ],
)
def test_plain_constants(source, plain):
    scope = {}
    exec(source, scope)
    assert holds_only_plain_constants(scope["f"].__code__) is plain


def test_constants_that_are_objects_are_not_kept():
    def f():
        return 1

    values = ((torch.float32, True), (torch.device("cpu"), True), ([], False), (object(), False), (f, False))
    for value, plain in values:
        code = f.__code__.replace(co_consts=(None, (value,)))
        assert holds_only_plain_constants(code) is plain


@pytest.mark.parametrize("listening", [unjit.capture, lambda: unjit.debug(quiet=True)], ids=["capture", "debug"])
def test_dynamo_looks_at_nothing_of_ours(listening, monkeypatch):
    """A backward within compiled code is compiled while Dynamo watches every new frame, those of handlers too."""
    torch._dynamo.reset()
    looked_at = []
    look = torch._dynamo.convert_frame.has_tensor_in_frame
    monkeypatch.setattr(
        "torch._dynamo.convert_frame.has_tensor_in_frame",
        lambda frame: looked_at.append(frame.f_code.co_filename) or look(frame),
    )
    weight = torch.ones(3, requires_grad=True)

    @torch.compile(backend="aot_eager")
    def train(x):
        loss = (weight * x).sum()
        loss.backward()
        return loss.detach()

    with listening():
        train(torch.ones(3))
    assert weight.grad.tolist() == [1, 1, 1]
    assert __file__ in looked_at
    assert [file for file in looked_at if file.startswith(str(Path(unjit.__file__).parent))] == []


class ThroughTorch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x)


SCOPE = {}
exec("def scaled(x, times):\n    return x * times", SCOPE)
scaled = SCOPE["scaled"]


def through_a_text(x, times):
    return scaled(x, times)


@refused_before("2.10", "does not say which line needs a plain value")
def test_what_torch_needs_is_told_at_the_line_of_the_program(recorder):
    """torch's own words name its line, and of code without a file one that nobody can read."""
    run = compiled(ThroughTorch(), dynamic=True)
    run(torch.ones(5, 2))
    run(torch.ones(1, 2))
    run = compiled(through_a_text)
    run(torch.ones(2), 2)
    run(torch.ones(2), 3)
    report = read_run(recorder)
    lines = {"ThroughTorch_forward": "return self.linear(x)", "through_a_text": "return scaled(x, times)"}
    for name, line in lines.items():
        (failed,) = function_called(report, name).compiles[1].failed_guards
        assert (failed.cause.file, failed.cause.code) == (__file__, line)
    assert report.losses == ()


def test_entries_that_a_reset_dropped_are_counted_apart(recorder):
    def sized(x):
        return x * 2

    def again():
        for size in (2, 3):
            torch.compile(sized, backend="eager", dynamic=False)(torch.ones(size))

    again()
    torch._dynamo.reset()
    again()
    function = function_called(read_run(recorder), "sized")
    assert "  4 cache entries, 2 of them no longer used, 4 graphs" in summary_line(function)
    title = str(function_section(function, read_run(recorder), View(set(), set())).title)
    assert title == "sized is a function optimised by Dynamo. It has 4 cache entries, of which 2 are no longer used."
