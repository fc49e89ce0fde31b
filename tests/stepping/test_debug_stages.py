"""`unjit.debug(stage=…)`: graphs in place of kernels, and kernels beside graphs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import torch
import torch._dynamo
from torch._inductor import lowering

import unjit
from needs import needs
from toys import needs_compiler
from traced import traced_by
from unjit.errors import UnjitError
from unjit.torch_private.probes.cache_probes import ENTRY_BACKEND, PRECOMPILE_ENTRIES
from unjit.torch_private.probes.stage_probes import COMPILE_SESSION
from wrong_compiler import exchanged

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def layers(a, b):
    x = a / (torch.abs(a) + 1)
    x = torch.nn.functional.dropout(x, 0.5)
    return (x @ b).sin().sum(0) * 3


def logs(a):
    return (a - 1).log().sum() + a.cos()


def run(function):
    torch.manual_seed(0)
    a = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
    out = function(a, torch.eye(4))
    out.sum().backward()
    return torch.cat([out, a.grad.flatten()])


def files_run(call, directory):
    seen = set()

    def tracer(frame, _event, _argument):
        file = frame.f_code.co_filename
        if file.startswith(directory):
            seen.add(str(Path(file).relative_to(directory)))

    with traced_by(tracer):
        call()
    return seen


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("stage", ["post_grad", pytest.param("forward", marks=pytest.mark.slow)])
def test_a_stage_runs_in_place_of_kernels_and_agrees_with_them(stage, tmp_path):
    compiled = torch.compile(layers, backend="inductor")
    run(compiled)
    with unjit.debug(layers, stage=stage, directory=tmp_path, quiet=True) as session:
        assert torch.allclose(run(compiled), run(layers), atol=1e-6)
        seen = files_run(lambda: run(compiled), session.directory)
    assert session.problems == []
    folder = f"functions/layers/older_entry_0/{stage}"
    assert {f"{folder}/forward.py", f"{folder}/backward.py"} <= seen
    assert "torch.ops.aten" in (tmp_path / folder / "forward.py").read_text()
    assert {comparison.graph.rpartition(", ")[2] for comparison in session.comparisons} == {"forward", "backward"}
    for comparison in session.comparisons:
        assert comparison.first is None
        assert comparison.compared >= 2
    before = len(session.comparisons)
    run(compiled)
    assert len(session.comparisons) == before


@needs_compiler
def test_a_result_that_is_the_same_at_each_call_is_told_once(tmp_path, capfd):
    """As in a loop of training, which would be told thousands of times."""
    compiled = torch.compile(layers, backend="inductor")
    with unjit.debug(stage="post_grad", directory=tmp_path) as session:
        for _ in range(3):
            run(compiled)
    results = [str(one) for one in session.comparisons]
    assert len(results) == 6
    said = capfd.readouterr().err
    assert [said.count(one) for one in sorted(set(results))] == [1, 1]


@needs_compiler
def test_the_first_kernel_that_differs_is_named_with_its_nodes(tmp_path, capfd):
    from torch._inductor.lowering import lowerings

    sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default
    right = lowerings[sin]
    lowerings[sin] = lowerings[cos]  # a compiler that is really wrong
    try:
        with unjit.debug(stage="post_grad", directory=tmp_path) as session:
            run(torch.compile(layers, backend="inductor"))
    finally:
        lowerings[sin] = right
    told = next(str(comparison) for comparison in session.comparisons if comparison.graph.endswith("forward"))
    assert "the first kernel that differs is " in told
    assert "sin" in told
    assert f"test_debug_stages.py:{layers.__code__.co_firstlineno + 3}" in told
    assert told in capfd.readouterr().err


@needs_compiler
@pytest.mark.slow
def test_the_first_kernel_that_gives_nan_is_named(tmp_path):
    with unjit.debug(stage="post_grad", directory=tmp_path, quiet=True) as session:
        torch.compile(logs, backend="inductor")(torch.zeros(4))
    assert "values are nan, as in the graph" in str(session.comparisons[0])


@needs_compiler
def test_a_backward_gets_what_the_forward_saved_as_its_kernels_have_it(tmp_path):
    """Inductor has a convolution give, and save, another layout than eager does."""
    convolution = torch.nn.Conv2d(1, 2, 3)
    compiled = torch.compile(lambda x: convolution(x).relu().exp().sum(), backend="inductor")
    with unjit.debug(stage="forward", directory=tmp_path, quiet=True) as session:
        compiled(torch.ones(2, 1, 4, 4)).backward()
    assert session.problems == []
    assert {comparison.graph.rpartition(", ")[2] for comparison in session.comparisons} == {"forward", "backward"}


@pytest.mark.parametrize("when", [pytest.param("before", marks=needs(PRECOMPILE_ENTRIES)), "inside"])
def test_the_captured_graph_runs_on_any_backend(when, tmp_path):
    compiled = torch.compile(layers, backend="aot_eager")
    if when == "before":
        run(compiled)
    with unjit.debug(layers, stage="captured", directory=tmp_path, quiet=True) as session:
        if when == "inside":
            run(compiled)
        seen = files_run(lambda: run(compiled), session.directory)
        assert torch.allclose(run(compiled), run(layers), atol=1e-6)
    assert session.problems == []
    assert {name.rpartition("/")[2] for name in seen} == {"transformed.py", "captured.py"}
    assert torch.allclose(run(compiled), run(layers), atol=1e-6)


@needs_compiler
@needs(PRECOMPILE_ENTRIES, ENTRY_BACKEND)
@pytest.mark.parametrize("stage", ["forward", "post_grad"])
def test_a_stage_runs_where_a_float_varies(stage, tmp_path):
    compiled = torch.compile(lambda x, k: (x * k).sum(0), backend="aot_eager")
    x = torch.ones(4, 2)
    assert [compiled(x, k).tolist() for k in (0.5, 1.5)] == [[2.0] * 2, [6.0] * 2]  # from here on k is a tensor
    with unjit.debug(compiled, stage=stage, directory=tmp_path, quiet=True) as session:
        assert [compiled(x, k).tolist() for k in (2.5, 3.5)] == [[10.0] * 2, [14.0] * 2]
    assert session.problems == []
    assert len(session.comparisons) == 2


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_inputs_of_other_shapes_have_graphs_in_files_of_their_own(tmp_path):
    compiled = torch.compile(logs, backend="eager", dynamic=True)
    compiled(torch.ones(8))
    with unjit.debug(logs, stage="forward", directory=tmp_path, quiet=True) as session:
        seen = [files_run(lambda n=n: compiled(torch.ones(n)), session.directory) for n in (8, 5, 8)]
    graphs = [next(name for name in names if "transformed" not in name) for names in seen]
    assert graphs[0] == graphs[2] != graphs[1]
    for name, length in zip(graphs, (8, 5, 8), strict=True):
        assert f'cos: "f32[{length}]' in (tmp_path / name).read_text()
    assert {str(tmp_path / name) for name in graphs} <= {stop.file for stop in session.stops}


@needs_compiler
@needs(PRECOMPILE_ENTRIES, COMPILE_SESSION)
def test_threads_run_a_stage_beside_the_compile_of_its_graph(tmp_path):
    compiled = torch.compile(logs, backend="eager")
    compiled(torch.ones(8))
    errors = []

    def call():
        try:
            for _ in range(5):
                compiled(torch.ones(8))
        except Exception as error:
            errors.append(error)

    with unjit.debug(logs, stage="post_grad", directory=tmp_path, quiet=True) as session:
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == session.problems == []
    assert len(session.stops) == len({stop.file for stop in session.stops})
    assert not torch.fx._symbolic_trace.is_fx_tracing()


@pytest.mark.parametrize(("stage", "compiles"), [("captured", False), ("forward", True)])
def test_it_is_said_when_a_graph_has_a_file_and_whether_it_is_compiled_anew(stage, compiles, capsys):
    with unjit.debug(stage=stage):
        told = capsys.readouterr().err
    assert "a graph has a file from its first call in this block on" in told
    assert ("compiles it anew" in told) == compiles


def test_a_stage_that_there_is_not_is_refused():
    with pytest.raises(UnjitError, match="there is no stage 'joint': it is one of as_run, captured"):
        unjit.debug(stage="joint")


class _Opaque:
    """What a backend gives that keeps nothing of the graph within Dynamo's reach."""

    def __init__(self, graph):
        self.held = {"graph": graph}

    def __call__(self, *inputs):
        return self.held["graph"](*inputs)


@pytest.mark.parametrize("when", [pytest.param("before", marks=needs(PRECOMPILE_ENTRIES)), "inside"])
def test_a_graph_that_is_gone_costs_its_stage_and_no_file(when, tmp_path):
    def breaks(a, b):
        x = layers(a, b)
        torch._dynamo.graph_break()
        return x + 1

    compiled = torch.compile(breaks, backend=lambda graph, _inputs: _Opaque(graph))
    if when == "before":
        run(compiled)
    with unjit.debug(compiled, stage="captured", directory=tmp_path, quiet=True) as session:
        seen = files_run(lambda: run(compiled), session.directory)
    assert len(seen) == len(session.stops) == 2  # the function, and what resumes it
    assert len(session.problems) == 2
    assert all("runs as it is: its captured graph is gone" in problem for problem in session.problems)


def scattered(x, at):
    rows = x.sin()
    return rows.scatter_add(1, at, rows) + 1


@pytest.fixture
def threads(request):
    """For several of them Inductor leaves a scatter to torch; for one alone it writes it into a kernel of its own."""
    with torch._inductor.config.patch({"cpp.threads": request.param}):
        yield request.param


several_threads = pytest.mark.parametrize("threads", [2], indirect=True)


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("threads", [1, 2], indirect=True)
def test_a_buffer_that_is_finished_in_place_is_compared_when_it_is(tmp_path, threads):
    arguments = torch.linspace(-1, 1, 64).reshape(8, 8).requires_grad_(), torch.zeros(8, 8, dtype=torch.int64)
    compiled = torch.compile(scattered, backend="inductor")
    compiled(*arguments)
    with unjit.debug(scattered, stage="forward", directory=tmp_path, quiet=True) as session:
        compiled(*arguments).sum().backward()
    assert [str(one) for one in session.comparisons if one.first or one.returned] == []
    assert [one.compared for one in session.comparisons] == [2 if threads == 1 else 3, 1]


def compared_with_another_scatter(made, folder):
    """What is told of the forward graph where kernels scatter in another way than the graph says."""
    arguments = torch.linspace(-1, 1, 64).reshape(8, 8), torch.zeros(8, 8, dtype=torch.int64)
    compiled = torch.compile(scattered, backend="inductor")
    compiled(*arguments)
    with (
        exchanged(lowering.lowerings, torch.ops.aten.scatter_add.default, made),
        unjit.debug(scattered, stage="forward", directory=folder, quiet=True) as session,
    ):
        compiled(*arguments)
    (told,) = session.comparisons
    return told


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@several_threads
def test_the_kernel_that_finishes_a_buffer_in_place_is_the_one_at_fault(tmp_path, threads):
    def largest(x, dim, at, source):
        return lowering.lowerings[torch.ops.aten.scatter_reduce.two](x, dim, at, source, "amax")

    told = compared_with_another_scatter(largest, tmp_path)
    assert told.first.kernel == "aten.scatter_reduce_.two"
    assert told.first.node == "scatter_add"


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@several_threads
def test_no_kernel_is_blamed_for_what_another_one_should_have_finished(tmp_path, threads):
    def nothing(x, dim, at, source):
        zeros = lowering.lowerings[torch.ops.aten.mul.Tensor](source, 0)
        return lowering.lowerings[torch.ops.aten.scatter_reduce.two](x, dim, at, zeros, "sum")

    told = compared_with_another_scatter(nothing, tmp_path)
    assert "scatter_add" not in told.first.kernel, str(told)
    assert "aten.scatter_reduce_.two" in told.first.unseen, "the one named may have got it from this one"


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_lists_that_are_changed_in_place_are_taken_from_the_graph_as_inductor_takes_them(tmp_path):
    moments = [torch.zeros(size) for size in (3, 4)]

    def step(scale):
        torch._foreach_add_(moments, 1)
        return [moment * scale for moment in moments]

    compiled = torch.compile(step, backend="inductor")
    compiled(torch.ones(()))
    with unjit.debug(step, stage="post_grad", directory=tmp_path, quiet=True) as session:
        got = compiled(torch.ones(()))
    assert "_foreach_add_.Scalar" in next(tmp_path.rglob("inference.py")).read_text()
    assert [one.tolist() for one in got] == [[2] * 3, [2] * 4]
    assert [one.tolist() for one in moments] == [[2] * 3, [2] * 4]
    assert session.problems == []
    assert [str(one) for one in session.comparisons if one.first or one.returned] == []


@torch.library.custom_op("unjit_tests::only_lowered", mutates_args=())
def only_lowered(x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("there is nothing but a lowering")


@only_lowered.register_fake
def _(x):
    return torch.empty_like(x)


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("is_compared", [True, False], ids=["compared", "not compared"])
@pytest.mark.parametrize("stage", ["forward", "post_grad"])
def test_kernels_run_where_their_graph_does_not_run_as_python(stage, is_compared, tmp_path, monkeypatch):
    if not is_compared:
        monkeypatch.setattr("unjit.debugging.stages.why_not_seeded_alike", lambda _graph: "of random numbers")

    def lowered(x):
        return only_lowered(x + 1)

    sine = lowering.lowerings[torch.ops.aten.sin.default]
    with exchanged(lowering.lowerings, torch.ops.unjit_tests.only_lowered.default, sine):
        compiled = torch.compile(lowered, backend="inductor")
        expected = compiled(torch.ones(4))
        with unjit.debug(lowered, stage=stage, directory=tmp_path, quiet=True) as session:
            for _ in range(2):
                assert torch.equal(compiled(torch.ones(4)), expected)
    told = "inference runs as it is: its graph, run as Python, raised RuntimeError: there is nothing but a lowering"
    assert [told in problem for problem in session.problems] == ([True] if is_compared else [False, True])


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_kernels_run_where_there_is_no_memory_for_their_graph(tmp_path, monkeypatch):
    def plus_one(x):
        return x + 1

    compiled, many = torch.compile(plus_one, backend="inductor"), torch.ones(2**20)
    expected = compiled(many)
    monkeypatch.setattr("unjit.comparison.runs.room.free_memory", lambda: 2**20)
    with unjit.debug(plus_one, stage="post_grad", directory=tmp_path, quiet=True) as session:
        assert torch.equal(compiled(many), expected)
    told = "inference runs as it is: one more run on copies takes some 4 MiB, and 1 MiB of memory are free"
    assert [told in problem for problem in session.problems] == [True]


class Marked(torch.Tensor):
    """While torch watches the first call of what it compiled, as 2.13 does, operators refuse such a tensor."""


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_kernels_run_where_neither_they_nor_their_graph_can_be_tried(tmp_path):
    def doubles(x):
        return x * 2

    compiled = torch.compile(doubles, backend="inductor")
    x = torch.ones(3).as_subclass(Marked)
    compiled(x)
    with unjit.debug(doubles, stage="forward", directory=tmp_path, quiet=True):
        given = [compiled(x) for _ in range(2)]
    assert [one.tolist() for one in given] == [[2, 2, 2]] * 2


@torch.library.custom_op("unjit_tests::triple", mutates_args=("out",))
def triple(x: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(x * 3)


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_memory_that_is_filled_later_is_not_taken_for_what_a_kernel_got_wrong(tmp_path):
    def filled(x):
        out = torch.empty_like(x)
        triple(x, out)
        return (out + 1).sin()

    compiled, x = torch.compile(filled, backend="inductor"), torch.linspace(-1, 1, 64)
    expected = compiled(x)
    with unjit.debug(filled, stage="forward", directory=tmp_path, quiet=True) as session:
        for _ in range(3):
            assert torch.allclose(compiled(x), expected)
    assert session.comparisons
    assert [str(one) for one in session.comparisons if one.first or one.returned] == []


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_kernels_that_the_program_has_not_are_told_as_inductors(backend, capsys):
    compiled = torch.compile(logs, backend=backend)
    compiled(torch.ones(3) * 2)
    with unjit.debug(compiled, stage="forward") as session:
        compiled(torch.ones(3) * 2)
    assert "in place of kernels" not in capsys.readouterr().err
    (told,) = session.comparisons
    assert ("which Inductor compiled for this comparison alone" in str(told)) == (backend != "inductor")


@needs_compiler
def test_a_graph_that_cannot_be_compiled_again_leaves_no_transform_entered(capsys):
    def along(x):
        return torch.func.jacfwd(lambda y: torch.sin(y) * y.sum())(x)

    compiled = torch.compile(along, backend="eager")
    x = torch.arange(6.0).reshape(2, 3)
    expected = torch.func.vmap(along)(x)
    with unjit.debug(compiled, stage="post_grad"):
        found = torch.func.vmap(compiled)(x)
    assert torch.equal(found, expected)
    told = capsys.readouterr().err
    assert "along, compile 0 runs as it is: " in told  # AOTAutograd takes no tensors of a vmap around it
    assert "While executing" not in told
    assert torch.func.grad(lambda y: (y * y).sum())(torch.ones(2)).tolist() == [2, 2]


@torch.library.custom_op("unjit_tests::refuses_ones", mutates_args=())
def refuses_ones(x: torch.Tensor) -> torch.Tensor:
    if x.eq(1).all():
        raise ValueError("ones")
    return x.clone()


refuses_ones.register_fake(torch.empty_like)


def settings():
    blocks = torch.autocast_increment_nesting() - 1
    torch.autocast_decrement_nesting()
    return torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"), torch.is_autocast_cache_enabled(), blocks


@pytest.mark.parametrize("mode", [torch.no_grad, lambda: torch.autocast("cpu", torch.bfloat16, cache_enabled=False)])
def test_a_captured_graph_that_fails_leaves_modes_as_what_was_compiled_does(mode, tmp_path):
    def within(x):
        with mode():
            return torch.ops.unjit_tests.refuses_ones(x) * 2

    compiled = torch.compile(within, backend="aot_eager")
    compiled(torch.zeros(2))
    before = settings()
    with unjit.debug(compiled, stage="captured", directory=tmp_path, quiet=True):
        with pytest.raises(ValueError, match="ones"):
            compiled(torch.ones(2))
        assert settings() == before


def test_values_of_a_graph_that_fails_leave_autocast_as_it_was():
    from unjit.comparison.inside.graph_values import values_of

    captured = []

    def within(x):
        with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
            return torch.ops.unjit_tests.refuses_ones(x) * 2

    def keep(graph, _inputs):
        captured.append(graph)
        return graph.forward

    torch.compile(within, backend=keep)(torch.zeros(2))
    before = settings()
    with pytest.raises(ValueError, match="ones"):
        values_of(captured[0], [torch.ones(2)], ())
    assert settings() == before
