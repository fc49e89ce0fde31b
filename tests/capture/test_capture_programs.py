"""Under a capture programs compute, compile and recompile the same; other ways of compiling survive."""

from __future__ import annotations

import json

import pytest
import torch
import torchgen.utils

import unjit
from corpus import NO_BACKWARD, NO_SHARED, models
from needs import since
from unjit.render.functions.summary import summary_line

pytestmark = pytest.mark.usefixtures("nothing_compiled")

SOME = ["gpt2", "bert", "t5", "resnet"]


def trained(name, how, backend="eager"):
    """Outputs, gradients and Dynamo's own counts of one model, twice through forward and backward."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model, inputs = models.make(name)
    compiled = torch.compile(models.with_breaks(model) if how == "breaks" else model, backend=backend)
    for _ in range(2):
        outputs = models.flatten(compiled(**inputs))
        if name not in NO_BACKWARD:
            sum(output.sum() for output in outputs if output.requires_grad).backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    counts = torch._dynamo.utils.counters
    return outputs, gradients, {group: dict(counts[group]) for group in ("frames", "stats", "graph_break")}


def check_same(name, how):
    trained(name, how)  # at first Dynamo looks at functions of libraries that it leaves alone from then on
    outputs, gradients, counts = trained(name, how)
    with unjit.capture() as session:
        watched_outputs, watched_gradients, watched_counts = trained(name, how)
    assert session.losses == ()
    assert watched_counts == counts
    for one, other in zip([*outputs, *gradients], [*watched_outputs, *watched_gradients], strict=True):
        assert torch.equal(one, other) or torch.equal(one.isnan(), other.isnan())


@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("how", ["plain", "breaks"])
def test_a_model(how):
    check_same("bert", how)


@pytest.mark.slow
@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("how", ["plain", "breaks"])
@pytest.mark.parametrize("name", sorted(models.MODELS) if models else [])
def test_all_models(name, how):
    check_same(name, how)


def test_export_survives():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x.sin() + 1

    with unjit.capture() as session:
        program = torch.export.export(Model(), (torch.ones(3),))
    assert "sin" in str(program.graph)
    assert session.data.finished


def test_compiled_autograd_survives():
    def f(x):
        return (x * 2).sin().sum()

    def gradient():
        x = torch.ones(3, requires_grad=True)
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            torch.compile(f, backend="aot_eager")(x).backward()
        return x.grad.tolist()

    alone = gradient()
    torch._dynamo.reset()
    with unjit.capture() as session:
        assert gradient() == alone
    assert "f" in [function.key for function in session.functions]
    assert len(session.compiles) >= 2
    told = {str(function.key): summary_line(function) for function in session.data.report.functions}
    assert "by compiled autograd" not in told["f"]
    if since("2.9"):  # the trace of 2.6 does not say so
        assert "by compiled autograd, 1 cache entry" in told["forward"]
        assert "### forward, compile 0: compiled, by compiled autograd, entered from " in str(session)


def trained_twice(compiled):
    for _ in range(2):
        yield compiled(torch.ones(3, requires_grad=True)).sum()


def test_the_time_of_a_compile_has_that_of_its_backward():
    compiled = torch.compile(lambda x: x.sin() * 2, backend="aot_eager")
    with unjit.capture() as session:
        for loss in trained_twice(compiled):
            loss.backward()
    (run,) = session.data.run.compiles
    metrics = json.loads(run.metrics)
    forward, backward = metrics["forward"]["entire_frame_compile_time_s"], metrics["backward"]["duration_us"]
    assert backward > 0
    (compile_,) = session.compiles
    assert compile_.compile.seconds == run.seconds == pytest.approx(forward + backward / 1e6)
    (known,) = unjit.explain(compiled).functions[0].data.compiles
    assert known.seconds == run.seconds


def test_a_backward_whose_forward_was_compiled_before_is_not_told_as_a_compile_that_runs():
    compiled = torch.compile(lambda x: x.sin() * 2, backend="aot_eager")
    loss = compiled(torch.ones(3, requires_grad=True)).sum()
    with unjit.capture() as session:
        loss.backward()
    (compile_,) = session.compiles
    assert compile_.compile.failed_guards == ()  # the first of its frame
    for fact in (compile_.compile.outcome, compile_.compile.breaks):
        assert fact.reason == "it was compiled before the recording began, in which its backward graph was"
    assert session.losses == ()
    assert "recording began" in session.summary()
    assert "recording began" in session.report().html


def test_a_custom_backend_keeps_its_own_records():
    def backend(graph, inputs):
        torch._logging.trace_structured(
            "artifact",
            metadata_fn=lambda: {"name": "vllm piece/split 1", "encoding": "string"},
            payload_fn=lambda: "what the backend says",
        )
        return graph.forward

    with unjit.capture() as session:
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
    assert session.text("lambda_", 0, "vllm_piece_split_1") == "what the backend says\n"


def test_a_backend_without_a_name_is_the_same_in_each_run(tmp_path):
    class Backend:
        def __call__(self, graph, inputs):
            return graph.forward

    with unjit.capture(tmp_path / "out"):
        torch.compile(lambda x: x + 1, backend=Backend())(torch.ones(2))
    for name in "compile.json", "entry.json":
        text = (tmp_path / "out" / "functions" / "lambda_" / "compile_0" / name).read_text("utf-8")
        assert '"Backend"' in text
        assert "Backend object" not in text


def test_a_name_that_is_a_path_stays_in_the_directory(tmp_path):
    def backend(graph, inputs):
        torch._logging.trace_structured(
            "artifact",
            metadata_fn=lambda: {"name": "../../../escape", "encoding": "string"},
            payload_fn=lambda: "x" * 10,
        )
        return graph.forward

    with unjit.capture(tmp_path / "a" / "b" / "out") as session:
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
    assert session.losses == ()
    assert sorted(entry.name for entry in tmp_path.rglob("*escape*")) == ["escape.txt"]
    assert (tmp_path / "a" / "b" / "out" / "functions" / "lambda_" / "compile_0" / "escape.txt").exists()


@pytest.mark.parametrize("letter", ["n", "н"])
def test_names_longer_than_a_folder_can_have_are_cut(letter, tmp_path):
    def backend(graph, inputs):
        torch._logging.trace_structured(
            "artifact",
            metadata_fn=lambda: {"name": "🐌" * 300, "encoding": "string"},
            payload_fn=lambda: "slow",
        )
        return graph.forward

    name = letter * 300
    scope = {"torch": torch}
    for ending in "ab":
        exec(f"def {name}{ending}(x):\n    torch._dynamo.graph_break()\n    return x + 1\n", scope)
    with unjit.capture(tmp_path / "out") as session:
        for ending in "ab":
            torch.compile(scope[name + ending], backend=backend)(torch.ones(2))
    assert session.losses == ()
    read = unjit.load(tmp_path / "out")
    qualnames = [str(function.qualname) for function in read.functions if not function.resume]
    assert qualnames == [name + "a", name + "b"]
    assert [one.compile.outcome for one in read.compiles] == ["compiled"] * 4


class Wrapped(torch.Tensor):
    """A tensor around a tensor, which notes what is asked of it and cannot be printed without values."""

    asked: list[str]

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)

    def __init__(self, inner):
        self.inner = inner

    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(parts, context, size, stride):
        return Wrapped(parts["inner"])

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        cls.asked.append(str(operation))
        plain = [one.inner if isinstance(one, Wrapped) else one for one in args]
        return Wrapped(operation(*plain, **(kwargs or {})))


def asked_of_a_tensor_of_its_own():
    torch._dynamo.reset()
    Wrapped.asked = []
    compiled = torch.compile(lambda x: x.sin() + 1, backend="aot_eager", fullgraph=True)
    compiled(Wrapped(torch.ones(3)))
    return set(Wrapped.asked)


def test_tensors_of_the_program_are_not_printed_while_they_are_compiled(tmp_path):
    printer, computed = torchgen.utils.pformat, {"aten.sin.default", "aten.add.Tensor"}
    with unjit.capture(tmp_path / "out") as session:
        with unjit.capture():
            assert asked_of_a_tensor_of_its_own() == computed
        assert asked_of_a_tensor_of_its_own() == computed
    assert torchgen.utils.pformat is printer
    assert "original_subclass=Wrapped(...)" in session.compiles[0].artifact("aot_metadata").text


def test_numbers_of_many_digits_are_told_as_they_are_and_addresses_of_hooks_are_not(tmp_path):
    """Numbers of thirteen digits and more look like addresses."""
    third, stamp = 1 / 3, 1732727107123

    @torch.compile(backend="eager")
    def f(x, when):
        return x.sin() * third + when % 2, third, 1732727107123

    pack, unpack = (torch.fx.symbolic_trace(function) for function in (lambda x: x * 2, lambda x: x / 2))
    with unjit.capture(tmp_path / "out"), torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        f(torch.ones(2, requires_grad=True), stamp)
    (entry,) = unjit.load(tmp_path / "out").functions[0].entries
    guards = {guard.subject: guard for guard in entry.guards}
    assert guards["third"].condition == f"third == {third}"
    assert guards["when"].check == f"same_value(_, {stamp})"
    assert "1732727107123" in entry.code.source
    assert f"* {third}" in entry.graphs[0].source
    folder = next((tmp_path / "out").rglob("guards.txt")).parent
    for text in ((folder / "guards.txt").read_text(), (folder / "entry.json").read_text()):
        assert str(third) in text
        assert str(id(pack)) not in text
        assert f"{id(pack):#x}" not in text


def test_the_line_of_a_symbol_is_the_programs_where_torchs_own_modules_look_at_the_size():
    class Head(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(4)

        def forward(self, x):
            return self.norm(x)

    head = torch.compile(Head(), backend="eager", dynamic=True)
    with unjit.capture() as session:
        head(torch.ones(3, 4))
    first, *_ = session.data.compiles[0].symbols
    assert first.source == "L['x'].size()[0]"
    assert (first.place.function, first.place.file) == ("forward", __file__)


def test_source_and_bytecode_are_kept_of_what_dynamo_refused_or_gave_up(tmp_path):
    lstm = torch.nn.LSTM(4, 5)

    @torch.compile(backend="eager")
    def gave_up(x):
        return lstm(x)[0].sum()

    @torch.compile(backend="eager", fullgraph=True)
    def refused(x):
        torch._dynamo.graph_break()
        return x + 1

    with unjit.capture(tmp_path / "out") as session:
        gave_up(torch.ones(3, 4))
        with pytest.raises(torch._dynamo.exc.Unsupported):
            refused(torch.ones(3))
    assert session.losses == ()
    for name, word in (("gave_up", "lstm"), ("refused", "graph_break")):
        folder = tmp_path / "out/functions" / name
        assert word in (folder / "source.txt").read_text()
        assert word in (folder / "bytecode.txt").read_text()


def test_the_index_tells_why_a_function_was_compiled_again_also_where_dynamo_began_anew():
    @torch.compile(backend="eager")
    def f(x, times):
        x = x * times
        torch._dynamo.graph_break()
        return x + 1

    with unjit.capture() as session:
        f(torch.ones(2), 2)
        f(torch.ones(2), 3)
    assert session.compiles_of("f")[1].artifact("recompile").attempt == 0
    assert "compile_1/attempt_0/recompile.txt): which guards of the entries before did not hold" in str(session)


class Asked:
    """Something of the program, in the namespace of this module."""

    times = 0

    def __repr__(self):
        Asked.times += 1
        raise RuntimeError("not now")


asked = Asked()


def test_objects_that_dynamo_puts_into_code_are_not_asked_for_their_text(tmp_path):
    """A function that is made after a break is made with the whole namespace of its module, as a constant."""

    @torch.compile(backend="eager")
    def outer(x):
        @torch.compile(backend="eager")
        def inner(y):
            return y.relu() - 1

        return inner(x) + inner(x * 2)

    with unjit.capture(tmp_path / "out") as session:
        outer(torch.ones(3))
    unjit.explain(outer)
    assert (Asked.times, session.losses) == (0, ())
    listings = [path.read_text() for path in (tmp_path / "out").rglob("transformed_bytecode.txt")]
    assert any("({'" in text for text in listings)
