"""`unjit.why` knows what a call brings along: stance, backend, limit, region. Each answer is held against the call."""

from __future__ import annotations

import inspect
import sys

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs, refused_before, since
from unjit.model import Unknown
from unjit.torch_private.cache import entries
from unjit.torch_private.probes.cache_probes import ENTRY_BACKEND
from unjit.torch_private.probes.history_probes import DELAYED
from unjit.torch_private.probes.probe import Probe

pytestmark = pytest.mark.usefixtures("nothing_compiled")
HAS_REGIONS = "isolate_recompiles" in inspect.signature(torch.compile).parameters


def scale(x, k):
    return x * k if torch.compiler.is_compiling() else x * -k  # so the sign tells whether compiled code ran


def what_it_did(compiled, x, k):
    """What the call really did, by Dynamo's own count of what it compiled and by whether compiled code ran."""
    frames = torch._dynamo.utils.counters["frames"]
    before = frames["ok"]
    try:
        result = compiled(x, k)
    except RuntimeError:
        return "raises"
    if frames["ok"] > before:
        return "compiles"
    return "runs an entry" if result.equal(x * k) else "runs uncompiled"


class CompiledForward(torch.nn.Module):
    @torch.compile(backend="eager")
    def forward(self, x):
        return x + 1


@refused_before("2.10", "does not tell which backend an entry is of")
def test_a_module_whose_class_has_a_compiled_forward_is_called_through_that():
    module, x = CompiledForward(), torch.ones(3)
    module(x)
    again = torch.compile(module, backend="aot_eager")  # which torch traces through another function
    again(x)
    for target in (module, module.forward):
        answer = unjit.why(target, x)
        assert (answer.outcome, [entry.backend for entry in answer.data.entries]) == ("runs an entry", ["eager"])
        assert "a call of the original runs it as written" not in str(answer)
    assert [entry.backend for entry in unjit.why(again, x).data.entries] == ["aot_eager"]


@pytest.mark.parametrize(
    ("stance", "fits", "fits_not"),
    [
        ("default", "runs an entry", "compiles"),
        ("force_eager", "runs uncompiled", "runs uncompiled"),
        ("eager_on_recompile", "runs an entry", "runs uncompiled"),
        ("fail_on_recompile", "runs an entry", "raises"),
    ],
)
def test_stances(stance, fits, fits_not):
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    compiled(torch.ones(3), 2)
    with torch.compiler.set_stance(stance):
        for size, expected in ((3, fits), (4, fits_not)):
            answer = unjit.why(compiled, torch.ones(size), 2)
            assert answer.outcome == expected
            assert what_it_did(compiled, torch.ones(size), 2) == expected
    if stance != "default":
        assert f'set_stance("{stance}")' in str(answer)


class Scale(torch.nn.Module):
    def forward(self, x):
        return scale(x, 2)


def test_modules_whose_own_calls_are_compiled():
    in_place, replaced = Scale(), Scale()
    in_place.compile(backend="eager")
    replaced.forward = torch.compile(replaced.forward, backend="eager")
    for net in (in_place, replaced):
        net(torch.ones(3))
        answer = unjit.why(net, torch.ones(3))
        assert answer.outcome == "runs an entry"
        assert "a call of the original" not in str(answer)
        assert "entry 0" in unjit.getsource(net)
    assert "a call of the original" in str(unjit.why(Scale(), torch.ones(3)))


def test_a_stance_before_the_first_call():
    compiled = torch.compile(scale, backend="eager")
    with torch.compiler.set_stance("fail_on_recompile"):
        assert unjit.why(compiled, torch.ones(3), 2).outcome == "raises"
        assert what_it_did(compiled, torch.ones(3), 2) == "raises"


@needs(DELAYED)
@refused_before("2.9", "compares with a backend that it has let go: it may compile again, or crash")
@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_stance_that_compiles_from_the_second_call_on(fullgraph):
    lines = "\n" * (1000 + fullgraph)  # torch remembers for good, by file and line, what it has seen under this stance
    namespace = {"torch": torch}
    exec(compile(f"{lines}{inspect.getsource(scale)}", __file__, "exec"), namespace)
    compiled = torch.compile(namespace["scale"], backend="eager", dynamic=False, fullgraph=fullgraph)
    with torch.compiler.set_stance("eager_then_compile"):
        answer = unjit.why(compiled, torch.ones(3), 2)
        assert answer.outcome == what_it_did(compiled, torch.ones(3), 2) == "runs uncompiled"
        assert "runs the first call of each function uncompiled" in str(answer)
        for size, expected in ((3, "compiles"), (3, "runs an entry"), (4, "compiles")):
            answer = unjit.why(compiled, torch.ones(size), 2)
            assert answer.outcome == what_it_did(compiled, torch.ones(size), 2) == expected
            assert "the first call of each" not in str(answer)


@needs(DELAYED)
@pytest.mark.skipif(since("2.9"), reason="torch knows of each entry which backend it is of")
def test_under_that_stance_older_torch_does_not_know_the_backend(monkeypatch):
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    compiled(torch.ones(3), 2)
    seen = {f"{__file__}{scale.__code__.co_firstlineno}": [(), ()]}  # so that the next call is not the first
    monkeypatch.setattr(torch._dynamo.eval_frame, "_EXAMPLE_INPUTS", seen)
    with torch.compiler.set_stance("eager_then_compile"):
        answer = unjit.why(compiled, torch.ones(3), 2)
    assert isinstance(answer.outcome, Unknown)
    assert "a backend that it may have let go" in str(answer)


@needs(ENTRY_BACKEND)
def test_entries_of_another_backend_are_not_looked_at():
    eager, aot = (torch.compile(scale, backend=backend) for backend in ("eager", "aot_eager"))
    eager(torch.ones(3), 2)
    answer = unjit.why(aot, torch.ones(3), 2)
    assert (answer.outcome, answer.entry) == ("compiles", None)
    assert "not looked at, it belongs to another torch.compile call" in str(answer)
    assert what_it_did(aot, torch.ones(3), 2) == "compiles"
    again = torch.compile(scale, backend="eager")
    assert unjit.why(again, torch.ones(3), 2).outcome == what_it_did(again, torch.ones(3), 2) == "runs an entry"


def test_entries_that_do_not_tell_their_backend(monkeypatch):
    reads = entries._ATTRIBUTES
    silent = Probe("CacheEntry.no_backend", ENTRY_BACKEND.purpose, ENTRY_BACKEND.loss)
    monkeypatch.setattr(entries.probes, "ENTRY_BACKEND", silent)
    monkeypatch.setattr(entries, "_ATTRIBUTES", [silent if probe is ENTRY_BACKEND else probe for probe in reads])
    eager = torch.compile(scale, backend="eager", dynamic=False)
    eager(torch.ones(3), 2)
    assert unjit.why(eager, torch.ones(3), 2).outcome == "runs an entry"  # there is no other
    aot = torch.compile(scale, backend="aot_eager", dynamic=False)
    for compiled in (eager, aot):
        answer = unjit.why(compiled, torch.ones(3), 2)
        assert isinstance(answer.outcome, Unknown)
        assert (answer.entry, answer.data.advice) == (None, ())
        assert "an entry does not tell its backend" in str(answer)
        assert "fits, if it is of this call's backend" in str(answer)
    assert unjit.why(aot, torch.ones(4), 2).outcome == what_it_did(aot, torch.ones(4), 2) == "compiles"


@needs(ENTRY_BACKEND)
def test_a_backend_that_a_stance_forces():
    compiled = torch.compile(scale, backend="aot_eager")
    compiled(torch.ones(3), 2)
    with torch.compiler.set_stance("default", force_backend="eager"):
        assert unjit.why(compiled, torch.ones(3), 2).outcome == "compiles"
        assert what_it_did(compiled, torch.ones(3), 2) == "compiles"
        assert unjit.why(compiled, torch.ones(3), 2).outcome == "runs an entry"


@pytest.mark.skipif(not HAS_REGIONS, reason="this torch.compile has no limit and region of its own")
def test_limits_and_regions_of_one_call():
    limited = torch.compile(scale, backend="eager", dynamic=False, recompile_limit=1)
    limited(torch.ones(3), 2)
    answer = unjit.why(limited, torch.ones(4), 2)
    assert "the limit of 1 is reached" in str(answer)
    assert answer.outcome == what_it_did(limited, torch.ones(4), 2) == "runs uncompiled"
    torch._dynamo.reset()
    apart = torch.compile(scale, backend="eager", dynamic=False, isolate_recompiles=True)
    shared = torch.compile(scale, backend="eager", dynamic=False)
    apart(torch.ones(3), 2)
    assert unjit.why(shared, torch.ones(3), 2).outcome == what_it_did(shared, torch.ones(3), 2) == "compiles"
    assert unjit.why(apart, torch.ones(3), 2).outcome == what_it_did(apart, torch.ones(3), 2) == "runs an entry"


def test_the_limit_over_all_modules():
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(accumulated_cache_size_limit=2):
        for size, expected in ((3, "compiles"), (4, "compiles"), (5, "runs uncompiled")):
            answer = unjit.why(compiled, torch.ones(size), 2)
            assert answer.outcome == what_it_did(compiled, torch.ones(size), 2) == expected
    assert "the limit of 2 is reached" in str(answer)


class Frozen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * self.weight


def test_guards_that_dynamo_skips_as_the_dicts_of_their_module_have_not_changed():
    """As older versions of torch do, and then run code that was made for another kind of tensor."""
    module, x = Frozen(), torch.ones(3)
    compiled = torch.compile(module, backend="eager")
    compiled(x)
    compiled(x)
    module.weight.requires_grad_(False)
    answer = unjit.why(compiled, x)
    assert [one.subject for one in answer.failed(0)] == ["self.weight"]
    frames = torch._dynamo.utils.counters["frames"]["ok"]
    compiled(x)
    ran = torch._dynamo.utils.counters["frames"]["ok"] == frames
    assert answer.outcome == ("runs an entry" if ran else "compiles")
    assert ("runs, though 1 guard fails\n    self.weight: expected" in str(answer)) == ran
    assert ("It would run entry 0/0, though 1 of its guards fails: this torch" in str(answer)) == ran
    module.weight = torch.nn.Parameter(torch.ones(4), requires_grad=False)
    assert unjit.why(compiled, torch.ones(4)).outcome == "compiles"


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_generator_is_not_said_to_be_compiled(fullgraph):
    """Not before the first call either, of which Dynamo remembers nothing yet."""

    def numbers(x):
        yield x + 1

    compiled = torch.compile(numbers, backend="eager", fullgraph=fullgraph)
    for _ in range(2):
        answer = unjit.why(compiled, torch.ones(4))
        assert "Dynamo compiles no generators" in answer.data.detail
        try:
            list(compiled(torch.ones(4)))
        except Exception:
            assert fullgraph
            assert answer.outcome == "raises"
        else:
            assert not fullgraph or sys.version_info < (3, 11)
            assert answer.outcome == "runs uncompiled"
