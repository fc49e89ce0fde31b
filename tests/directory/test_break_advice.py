"""What `unjit summary` advises on a graph break that a library makes, where torch's own hint is no help."""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import gc
import io
import itertools
import logging
import sys
import threading
import warnings

import pytest
import torch

import branching
import unjit
from needs import refused_before, since
from unjit.findings import concerns
from unjit.findings.advice_on_breaks import advice_on
from unjit.model import Compile, CompileId, FilePath, GraphBreak, Message, Name, Place, Term, Unknown
from unjit.render.captures.happened import Happened
from unjit.render.captures.run import overview
from unjit.report.sections.happenings import happenings

pytestmark = pytest.mark.usefixtures("nothing_compiled")
X = torch.ones(3)
GRU = torch.nn.GRU(3, 3)


def advised(call):
    """The advice on each break, in the order in which they are told."""
    with unjit.capture() as session:
        torch.compile(call, backend="eager")()
    return [str(one.advice) for one in concerns(session.data) if one.kind == "graph break"]


def stepping(optimizer):
    net = torch.nn.Linear(3, 3)
    chosen = optimizer(net.parameters())
    net(X).sum().backward()
    return lambda: chosen.step(lambda: net(X).sum())


@refused_before("2.9", "has other words for it")
def test_a_break_of_torchs_own_is_not_advised_to_be_removed():
    told = advised(stepping(torch.optim.SGD))
    assert told
    assert all(one.startswith("A library ends the graph there on purpose") for one in told)


@refused_before("2.9", "has other words for it")
def test_an_optimizer_whose_step_torch_does_not_compile_is_named():
    told = advised(stepping(torch.optim.LBFGS))
    assert set(told) == {
        "torch does not compile the step of LBFGS: call it outside of what is compiled, or use another optimizer."
    }


class Halved(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        x = x * self.scale
        torch._dynamo.graph_break()
        return x / 2


@pytest.fixture
def alone():
    """A group of one rank."""
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_gloo_available(), reason="this torch has no gloo")
@pytest.mark.usefixtures("alone")
def test_what_torch_does_around_a_module_of_several_ranks_is_to_be_accepted():
    net = torch.nn.parallel.DistributedDataParallel(Halved())
    with unjit.capture() as session:
        torch.compile(net, backend="eager")(X).sum().backward()
    found = [one for one in concerns(session.data) if one.kind == "graph break"]
    own = [one for one in found if one.place.is_of_the_program]
    around = [one.advice for one in found if one not in own]
    assert around
    assert all(advice.startswith("DistributedDataParallel does there") for advice in around)
    assert len(own) == 1
    assert "graph_break" in own[0].advice
    left_alone = [one.kind == "not compiled" for one in concerns(session.data)]
    assert left_alone == sorted(left_alone)  # functions of contextlib's that Dynamo gave up come last


@refused_before("2.9", "has other words for it")
def test_a_call_of_the_programs_own_is_still_advised_to_be_removed():
    def breaking():
        torch._dynamo.graph_break()
        return X + 1

    assert advised(breaking) == ["Remove the `torch._dynamo.graph_break()` call."]


def test_what_a_library_did_not_do_on_purpose_is_not_said_to_be():
    hint = Message("Remove the assert statement.")
    place = Place(FilePath("/usr/lib/python3.11/statistics.py"), 7, Name("mean"), Unknown(Message("not asked for")))
    found = GraphBreak(Message("Failed to handle assert"), place, (place,), None, (hint,), None)
    assert not place.is_of_the_program
    assert advice_on(found) == hint


@functools.singledispatch
def scaled(_by, x):
    return x


@scaled.register
def _(by: int, x):
    return x * by


@refused_before("2.13", "breaks elsewhere, or nowhere")
def test_singledispatch_is_called_by_its_name():
    told = advised(lambda: scaled(2, X) + 1)
    if not told:
        pytest.skip("refused: this torch follows it")
    assert told[0].startswith("Dynamo does not follow how functools.singledispatch looks up an implementation")


@refused_before("2.13", "has other words for it")
def test_a_step_that_a_scheduler_has_wrapped_is_not_advised_against():
    net = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    net(X).sum().backward()
    first, *_ = advised(lambda: [optimizer.step()])
    assert first.startswith("A learning rate scheduler has wrapped SGD.step, and Dynamo compiles what is within")


@refused_before("2.13", "has other words for it")
def test_what_is_advised_on_a_print_helps():
    def printing():
        y = X + 1
        print("seen", y)
        return y * 2

    (told,) = advised(printing)
    assert "torch._dynamo.config.reorderable_logging_functions.add(print)" in told
    torch._dynamo.reset()
    with torch._dynamo.config.patch(reorderable_logging_functions={print}):
        assert advised(printing) == []


@refused_before("2.13", "has other words for it")
def test_what_helps_is_told_wherever_the_break_is(tmp_path):
    def printing(x):
        print("seen", x)
        return x * 2

    printing = torch.compile(printing, backend="eager")
    with unjit.capture(tmp_path / "out"):
        printing(X)
        explained = str(unjit.explain(printing))
    advice = "o do: Print outside of what is compiled. Or let Dynamo print after the graph: first call"
    assert f"    t{advice}" in (tmp_path / "out" / "index.md").read_text()  # which `unjit run` prints as well
    assert f"T{advice}" in explained


@refused_before("2.13", "has other words for it")
def test_what_is_advised_on_a_print_and_on_a_log_tells_what_it_loses(capsys, caplog):
    logger = logging.getLogger("of the program")
    caplog.set_level(logging.INFO)

    def helping(y):
        print("in a helper")
        return y * 2

    def talking():
        y = helping(X + 1)
        print("in the function itself")
        logger.info("seen")
        return y

    told = advised(talking)
    assert sorted({advice.split(".")[0] for advice in told}) == [
        "Log outside of what is compiled",
        "Print outside of what is compiled",
    ]
    assert any("nothing in functions that it inlines" in advice for advice in told)
    assert any("logs nothing there" in advice for advice in told)
    assert capsys.readouterr().out == "in a helper\nin the function itself\n"
    assert caplog.messages == ["seen"]
    torch._dynamo.reset()
    moved, left_out = {print}, {logger.info}
    with torch._dynamo.config.patch(reorderable_logging_functions=moved, ignore_logging_functions=left_out):
        assert advised(talking) == []
    assert capsys.readouterr().out == "in the function itself\n"
    assert caplog.messages == ["seen"]


@refused_before("2.13", "has other words for it")
def test_what_is_advised_on_a_warning_helps():
    def warning():
        warnings.warn("seen", UserWarning, stacklevel=2)
        return X + 1

    def warning_in_eager():
        if not torch.compiler.is_compiling():
            warnings.warn("seen", UserWarning, stacklevel=2)
        return X + 1

    with pytest.warns(UserWarning, match="seen"):
        (told,) = advised(warning)
    assert "or only `if not torch.compiler.is_compiling():`, which causes no graph break." in told
    with warnings.catch_warnings(record=True) as caught:
        assert advised(warning_in_eager) == []
    assert not [one for one in caught if str(one.message) == "seen"]


@refused_before("2.13", "has other words for it")
def test_of_a_warning_of_a_library_nobody_is_told_to_issue_it_elsewhere():
    def warning():
        return torch.nn.init.uniform(X.clone())

    with pytest.warns(FutureWarning, match="is now deprecated"):
        (told,) = advised(warning)
    assert told == "A library warns there: do what the warning asks for, or accept the break."


@refused_before("2.13", "has other words for it")
def test_a_change_of_what_is_outside_of_a_checkpoint():
    seen, x = [], torch.ones(3, requires_grad=True)

    def part(x):
        seen.append(1)
        return x.sin()

    def checkpointed():
        return torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False)

    (told,) = advised(checkpointed)
    assert "torch._dynamo.config.skip_fwd_side_effects_in_bwd_under_checkpoint = True" in told
    assert len(told) <= 300  # more would be cut in what `unjit run` prints
    torch._dynamo.reset()
    with torch._dynamo.config.patch(skip_fwd_side_effects_in_bwd_under_checkpoint=True):
        assert advised(checkpointed) == []


def contexts():
    return torch.utils.checkpoint.create_selective_checkpoint_contexts([torch.ops.aten.sin.default])


@refused_before("2.13", "has other words for it")
@pytest.mark.skipif(since("2.15"), reason="this torch lets the program catch it")
def test_an_error_for_tensors_without_values_is_not_said_to_be_caught():
    def catches():
        try:
            return X.view(7)
        except RuntimeError:
            return X

    assert catches() is X
    with unjit.capture() as session, pytest.raises(torch._dynamo.exc.TorchRuntimeError):
        torch.compile(catches, backend="eager")()
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert failed.advice.startswith("The operation raises RuntimeError for tensors without values, by which")


@refused_before("2.13", "has other words for it")
def test_what_is_advised_on_the_contexts_of_a_checkpoint_helps():
    x = torch.ones(3, requires_grad=True)
    selective, made = torch.utils.checkpoint.create_selective_checkpoint_contexts, [torch.ops.aten.sin.default]

    def checkpointed(context_fn):
        return torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False, context_fn=context_fn)

    with unjit.capture() as session, pytest.raises(torch._dynamo.exc.InternalTorchDynamoError):
        torch.compile(lambda: checkpointed(lambda: selective(made)), backend="eager")()
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert failed.advice.startswith("Dynamo takes as context_fn of a checkpoint what was made outside")
    for allowed in (lambda: checkpointed(contexts), lambda: checkpointed(functools.partial(selective, made))):
        torch.compile(allowed, backend="aot_eager", fullgraph=True)()


@refused_before("2.13", "has other words for it")
def test_what_is_advised_on_a_hook_of_a_backward_helps():
    net = torch.nn.Linear(3, 3)
    net.register_full_backward_hook(lambda module, before, after: None)

    def forward():
        return net(X.clone().requires_grad_()).sum()

    def training():
        forward().backward()
        return X + 1

    told = advised(forward)
    assert any("compiled_autograd = True before torch.compile is called" in one for one in told)
    torch._dynamo.reset()
    with torch._dynamo.config.patch(compiled_autograd=True):
        told = advised(training)
        assert not any("compiled_autograd" in one for one in told)
        torch._dynamo.reset()
        loss = torch.compile(forward, backend="aot_eager")()
        with pytest.raises(AssertionError):
            loss.backward()


@refused_before("2.13", "has other words for it")
def test_the_setting_that_is_named_for_a_backward_is_one():
    weight = torch.ones(3, requires_grad=True)

    def training():
        (weight * X).sum().backward()
        return X + 1

    (told,) = advised(training)
    assert "torch._dynamo.config.trace_autograd_ops = True" in told
    torch._dynamo.reset()
    with torch._dynamo.config.patch(trace_autograd_ops=True):
        assert advised(training) == []


@refused_before("2.13", "has other words for it")
@pytest.mark.parametrize(
    "items",
    [(X * number for number in range(3)), iter([X]), iter({X: 1}), zip([X], [X], strict=True), itertools.repeat(X)],
    ids=lambda items: type(items).__name__,
)
def test_an_iterator_from_outside_is_told_as_one(items):
    (told,) = advised(lambda: next(items))
    assert told.startswith("Dynamo cannot follow an iterator that was made outside of what is compiled")


BATCHES = torch.utils.data.DataLoader(torch.ones(4, 3), batch_size=2)
GENERATOR = torch.Generator()
LOCK = threading.Lock()
GRAD_OFF = torch.no_grad()


def locks(x):
    with LOCK:
        return x * 2


def switches_off(x):
    with GRAD_OFF:
        return x * 2


@pytest.mark.parametrize(
    ("breaking", "told"),
    [
        (lambda x: [x + batch for batch in BATCHES], "Dynamo does not follow a DataLoader: loop over it outside, and"),
        (lambda x: [compile("1", "", "eval"), x * 2], "Dynamo does not follow compile(str, str, str) there: call it o"),
        (locks, "Dynamo does not enter a lock: enter it outside of what is compiled."),
        (switches_off, "Dynamo does not enter a no_grad that was made elsewhere: make it in the `with` that ente"),
        (lambda x: x * dt.datetime.now(dt.timezone.utc).year, "Dynamo does not follow datetime.datetime.now there: ca"),
        (lambda x: x * len(io.BytesIO(b"").getvalue()), "Dynamo does not follow _io.BytesIO() there: call it outside "),
        (lambda x: [decimal.Decimal(1), x * 2], "Dynamo does not follow decimal.Decimal() there: call it outside of"),
        (lambda x: x + torch.rand(3, generator=GENERATOR), "Dynamo can put no Generator into a graph: call what gets "),
        (lambda x: x * torch.get_num_threads(), "Dynamo does not follow get_num_threads there, whose result is no te"),
        (lambda x: x if torch.allclose(x, x * 2) else x * 2, "aten.allclose gives a plain value that depends on data"),
        (lambda x: x * len(f"{x.sum():.2f}"), "Dynamo meets TypeError(\"object of type 'str' has no len()\") there"),
        (lambda x: torch.eye(3).to_sparse() @ x, "Dynamo does not follow sparse tensors: compute with them outside of"),
        (lambda x: GRU(x[None])[0], "Set torch._dynamo.config.allow_rnn = True, or accept the break."),
        (lambda x: [gc.collect(), x * 2], "Dynamo does not know gc.collect, which is not written in Python: call it"),
        (branching.loops_until, "Each turn of a loop that a tensor's values end breaks the graph: loop outside, and "),
        (branching.asserts_much, "Let the assertion test one tensor, without `not`, `and`, `or` or a chain of compari"),
        (branching.raises, "Write the branch as torch.where or torch.cond, or test outside of what is compiled. A che"),
    ],
)
@refused_before("2.13", "has other words for some of it")
def test_what_programs_do_that_breaks_is_told_with_what_helps(breaking, told):
    first, *_ = advised(lambda: breaking(X))
    assert first.startswith(told)


@pytest.mark.parametrize(
    ("breaking", "told"),
    [
        (locks, "Dynamo does not enter a lock: enter it outside of what is compiled."),
        (lambda x: x * dt.datetime.now(dt.timezone.utc).year, "Dynamo does not follow datetime.datetime.now there: ca"),
        (branching.asserts_much, "Let the assertion test one tensor, without `not`, `and`, `or` or a chain of compari"),
        (branching.raises, "Write the branch as torch.where or torch.cond, or test outside of what is compiled. A che"),
    ],
)
@refused_before("2.13", "has other words for some of it")
def test_where_it_is_an_error_the_same_is_told(breaking, told):
    with unjit.capture() as session, pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(breaking, backend="eager", fullgraph=True)(X)
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert failed.advice.startswith(told)


def asks_a_number(x):
    number = x.sum().item()
    return x + number if number > 3 else x - 1


def asks_a_count(x):
    return x + 1 if x.nonzero().shape[0] else x


def asks_what_is_checked(x):
    count, number = x.nonzero().shape[0], x.sum().item()
    torch._check(count > 0)
    torch._check(number > 2)
    return torch.cond(number > 3, torch.sin, torch.cos, (x,)) if count else x + (number > 2)


WITH_NUMBERS = torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)


@WITH_NUMBERS
@refused_before("2.13", "has other words for some of it")
def test_a_branch_on_a_number_that_only_the_data_tell():
    within, broken = advised(lambda: asks_a_number(X))
    with unjit.capture() as session, pytest.raises(Exception, match="Could not guard on data-dependent"):
        torch.compile(asks_a_count, backend="eager")(X)
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert within == broken
    assert str(failed.advice).startswith(broken)
    assert "say by torch._check before what holds of it, write the branch as torch.cond" in broken
    torch.compile(asks_what_is_checked, backend="eager", fullgraph=True)(X)


@torch.library.custom_op("unjit_tests::without_fake", mutates_args=())
def without_fake(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


def calls_it(x):
    return without_fake(x) * 2


def test_an_operator_without_a_fake_implementation():
    with unjit.capture() as session, pytest.raises(Exception, match="no fake impl"):
        torch.compile(calls_it, backend="eager")(X)
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert "give it one with register_fake." in failed.advice


def test_an_assertion_of_the_kind_that_is_advised_breaks_nothing():
    assert advised(lambda: branching.asserts(X)) == []
    with pytest.raises(RuntimeError):
        torch.compile(branching.asserts, backend="eager")(-X)


@refused_before("2.13", "has other words for it")
def test_an_exception_that_only_dynamo_meets_is_not_said_to_be_the_programs():
    (told,) = advised(lambda: X * len(f"{X.sum():.2f}"))
    assert "Where it does not, do outside what Dynamo takes for an error." in told


def test_what_torch_says_of_many_breaks_comes_last():
    here = Unknown(Message("not asked for"))
    hints = (Message("This graph break is fundamental - consider a workaround."), Message("Use `torch.cond`."))
    assert GraphBreak(Message("branching"), here, here, None, hints, None).hint == "Use `torch.cond`."
    assert GraphBreak(Message("branching"), here, here, None, hints[:1], None).hint == hints[0]
    assert GraphBreak(Message("branching"), here, here, None, (), None).hint is None


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("Do this (e.g. `f`). " + "Or this. " * 30, "Do this (e.g. `f`). " + "Or this. " * 15 + "…"),
        ("Use a " + "very " * 40 + "long way. `torch.cond` is short.", "Use a " + "very " * 40 + "long way. …"),
        ("no " * 200, "no " * 99 + "…"),
        ("no " * 49 + "e.g. `f` " + "no " * 10, "no " * 49 + "e.g. `f` " + "no " * 9 + "no"),
        ("Short.", "Short."),
    ],
    ids=["between sentences", "after the first", "within the first", "not after e.g.", "not at all"],
)
def test_a_hint_is_cut_where_a_sentence_ends(hint, told):
    here, happened = Unknown("not asked"), Happened()
    found = GraphBreak(Message("it broke"), here, here, None, (Message(hint),), None)
    happened.add(Name("f"), Compile(CompileId(0, 0), "compiled", (found,), (), None, (), 0.1, Term("eager")))
    assert list(happened.break_lines())[-1] == f"    hint: {told}"



def recurrent(x):
    x = (x * 2).sin()
    y, _ = GRU(x)
    return y.cos()


def broken_in_a_try(x):
    x = (x * 2).sin()
    try:
        torch._dynamo.graph_break()
    finally:
        x = x + 1
    return x.cos()


@refused_before("2.13", "says otherwise that the rest is left out")
@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (recurrent, "Attempted to wrap RNN, GRU, or LSTM"),
        (broken_in_a_try, "A break after which Dynamo cannot go on; torch does not keep which it was"),
    ],
)
def test_where_nothing_after_a_break_is_compiled_everything_says_so(model, reason, tmp_path):
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        compiled = torch.compile(model, backend="eager")
        compiled(torch.ones(2, 3))
    (broke,) = session.compiles[0].compile.breaks
    if len(session.compiles) > 1:
        pytest.skip("refused: this torch goes on after it")
    assert broke.skips_rest
    assert "the rest after a break uncompiled" in overview(session.data.report)[1]
    said = f"{'Dynamo'} cannot go on after it"  # written so, as the page shows this file
    assert said in "\n".join(overview(session.data.report))
    assert f"{said}: the rest of the function runs uncompiled. Put what computes there" in session.summary()
    for file in ("index.md", "report.html"):
        assert said in (tmp_path / "out" / file).read_text()
    explained = unjit.explain(compiled)
    (of_the_entry,) = explained.functions[0].data.compiles[0].breaks
    assert (of_the_entry.reason, of_the_entry.skips_rest) == (reason, True)
    assert said in str(explained)
    assert "step_unsupported" not in str(explained)


@refused_before("2.13", "says otherwise that the rest is left out")
def test_a_break_with_a_resume_function_skips_nothing(recorder):
    @torch.compile(backend="eager")
    def model(x):
        x = (x * 2).sin()
        torch._dynamo.graph_break()
        return x.cos()

    model(torch.ones(2, 3))
    (broke,) = unjit.explain(model).functions[0].data.compiles[0].breaks
    assert not broke.skips_rest


@refused_before("2.13", "explains it otherwise")
def test_an_exception_that_leaves_compiled_code_is_not_told_to_be_an_error_in_eager(tmp_path):
    @torch.compile(backend="eager")
    def checked(x):
        if x.dim() != 2:
            raise ValueError("two dimensions are needed")
        return x * 2

    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        checked(torch.ones(2, 2))
        with pytest.raises(ValueError, match="two dimensions"):
            checked(torch.ones(2))
    found = {one.kind: one for one in concerns(session.data)}
    assert "gives the function up, for all later calls" in found["graph break"].advice
    assert found["not compiled"].paths == ("functions/checked/compile_1",)
    assert "No entry came of it: given up, the original ran." in (tmp_path / "out" / "report.html").read_text()


def test_the_page_says_who_called_what_broke_in_a_library(tmp_path):
    torch._dynamo.reset()
    loss = torch.compile(torch.nn.CTCLoss(), backend="eager")
    with unjit.capture(tmp_path / "out") as session:
        lengths = torch.full((2,), 4), torch.full((2,), 2)
        loss(torch.randn(4, 2, 3).log_softmax(-1), torch.ones(2, 2, dtype=int), *lengths)
    (broke,) = happenings(session.data.report).breaks
    assert [caller.function for caller in broke.callers] == ["test_the_page_says_who_called_what_broke_in_a_library"]
    assert "Called from" in (tmp_path / "out" / "report.html").read_text()


def test_where_torch_has_no_hint_about_a_break_its_kind_has(tmp_path):
    @torch.compile(backend="eager")
    def multiplied(x, out):
        y = x * 2
        torch.mm(y, y, out=out.t())
        return y

    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        multiplied(torch.ones(2, 2), torch.ones(2, 2))
    if "non-contiguous" not in session.summary():
        pytest.skip("this torch takes it")
    (found,) = (one for one in concerns(session.data) if one.kind == "graph break")
    assert "leave out= away" in found.advice


def branches_in_a_loop(x):
    for _ in range(3):
        if x.sum() > 0:
            x = x + 1
    return x


@refused_before("2.13", "has other words for it")
def test_a_branch_in_a_loop_is_told_as_a_branch():
    """Torch's reason then has that of a second break: it gives up the function, as it is in a loop."""
    (told,) = advised(lambda: branches_in_a_loop(X))
    assert told.startswith("Write the branch as torch.where")


def keeps_some(boxes, scores):
    order = scores.tolist()
    while order:
        order.pop(0)
        order = [j for j in order if boxes[j].sum() > 1.0]
    return boxes


@refused_before("2.13", "has other words for it")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a list comprehension is a part of its function")
def test_an_iterator_of_a_comprehension_is_not_said_to_be_the_programs():
    told = advised(lambda: keeps_some(torch.ones(3, 2), torch.tensor([0, 1])))
    (of_comprehension,) = (one for one in told if "iterator" in one)
    assert of_comprehension.startswith("What is around the comprehension")


@refused_before("2.13", "has other words for it")
def test_what_ended_the_graph_within_a_loop_is_told_where_torch_has_no_kind_for_it():
    def clipped(x):
        return x / 2 if x.sum().item() > 5 else x

    def looping(x):
        for _ in range(2):
            x = clipped(x)
        return x

    with torch._dynamo.config.patch(capture_scalar_outputs=True), unjit.capture() as session:
        torch.compile(looping, backend="eager")(X)
    broke = session.compiles[0].compile.breaks[0]
    assert broke.reason.endswith("; while handling it: graph break in loop")
    assert str(advice_on(broke)).startswith("A number that only the data tell, ")


@refused_before("2.13", "does not follow it")
@pytest.mark.skipif(since("2.15"), reason="this torch breaks there for what the program has switched off")
def test_a_tensor_that_asks_for_its_gradient_and_leaves_at_a_break():
    def inner_gradient(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(x.pow(3).sum(), x)[0] * 2

    told = advised(functools.partial(inner_gradient, X))
    assert any("mend graph breaks after it first." in one for one in told)
    assert advised(lambda: X.clone().requires_grad_().detach()) == []
    (told,) = advised(functools.partial(lambda x: x.requires_grad_().sin(), X.clone()))
    assert told == "Call requires_grad_() outside of what is compiled."


@refused_before("2.13", "does not trace a backward")
def test_a_backward_that_compiled_autograd_keeps_from_being_traced():
    weight = torch.ones(3, requires_grad=True)
    both = torch._dynamo.config.patch(compiled_autograd=True, trace_autograd_ops=True)
    with both:
        told = advised(lambda: (X * weight).sum().backward())
    assert [one for one in told if one.startswith("Compiled autograd is on, ")]
