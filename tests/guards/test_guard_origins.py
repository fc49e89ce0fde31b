"""With a capture on, each guard tells the calls that led to it: from Dynamo's own Guard objects."""

from __future__ import annotations

import contextlib
import gc
import weakref

import pytest
import torch
import torch._dynamo

import unjit
from agreement import frames
from corpus import AWKWARD
from needs import refused_before, since
from true_origins import watched, wrong
from unjit.model import GuardOrigin, Place, Unknown
from unjit.observe.guards.origins import Origins
from unjit.observe.guards.printed import Comment
from unjit.observe.guards.reading import live_guards
from unjit.observe.listening import recorder
from unjit.torch_private.guard_trees import guard_origins
from unjit.torch_private.probes import trace_probes
from unjit.torch_private.probes.probe import Probe


def scaled(x, factor):
    return torch.relu(x) * factor


def summed(x, factor, options):
    return scaled(x, factor) + options["bias"]


def outer(x, factor, options):
    return summed(x, factor, options)


NOTED = refused_before("2.9", "notes no calls in its Guard objects")
ARGUMENTS = torch.ones(3), 2, {"bias": 3.0}


@pytest.fixture(scope="module")
def session():
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(outer, backend="eager")(*ARGUMENTS)
    return session


def calls(guards, guard):
    return [(str(place.function), str(place.code)) for place in guards.stack(guard)]


@pytest.fixture
def recording():
    torch._dynamo.reset()
    started = recorder.start()
    yield started
    started.stop()


WAY_TO_SCALED = [
    ("outer", "return summed(x, factor, options)"),
    ("summed", 'return scaled(x, factor) + options["bias"]'),
    ("scaled", "return torch.relu(x) * factor"),
]


@NOTED
def test_a_guard_has_the_whole_stack_and_what_was_asked(session):
    guards = session.function("outer").entries[0].guards
    by_condition = {guard.condition: guard for guard in guards}
    assert calls(guards, by_condition["factor == 2"]) == WAY_TO_SCALED
    assert calls(guards, by_condition["options['bias'] == 3.0"]) == WAY_TO_SCALED[:1] + WAY_TO_SCALED[1:2]
    code = next(guard for guard in guards if guard.subject == "scaled.__code__")
    assert (code.kind, code.origin.kind) == ("ID_MATCH", "CLOSURE_MATCH")
    assert calls(guards, code) == WAY_TO_SCALED[:2]
    tensor = next(guard for guard in guards if guard.kind == "TENSOR_MATCH")
    assert tensor.origin.guarded_class == "torch.Tensor"
    state = next(guard for guard in guards if guard.kind == "TORCH_FUNCTION_MODE_STACK")
    assert (guards.stack(state), state.cause) == ((), None)


@NOTED
def test_explain_and_text_tell_the_calls_too(recording):
    torch.compile(outer, backend="eager")(*ARGUMENTS)
    said = str(unjit.explain(outer))
    assert "factor == 2" in said
    at = said.index("factor == 2")
    assert "called from test_guard_origins.py:" in said[at : at + 400]
    assert "in outer: return summed(x, factor, options)" in said[at : at + 400]


@NOTED
def test_a_loaded_directory_has_them(tmp_path):
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out"):
        torch.compile(outer, backend="eager")(*ARGUMENTS)
    guards = unjit.load(tmp_path / "out").function("outer").entries[0].guards
    factor = next(guard for guard in guards if guard.condition == "factor == 2")
    assert calls(guards, factor) == WAY_TO_SCALED


def test_without_a_stack_the_class_of_a_tensor_is_known(recording):
    """torch 2.6 does not tell it elsewhere."""
    torch.compile(outer, backend="eager")(*ARGUMENTS)
    guards = unjit.explain(outer).entries[0].guards
    assert not isinstance(next(guard for guard in guards if guard.kind == "TENSOR_MATCH").check, Unknown)
    assert since("2.9") or "noted no calls" in str(guards.data.lines)


def test_without_a_capture_it_is_said_why():
    torch._dynamo.reset()
    torch.compile(outer, backend="eager")(*ARGUMENTS)
    guards = unjit.explain(outer).entries[0].guards.data
    assert "no capture" in str(guards.lines)
    assert all(guard.origin is None and guards.stack(guard) == guards.lines for guard in guards)


def class_of_the_class(x, settings):
    if isinstance(settings, Settings) and settings.on:
        return x + len(settings.sizes)
    return x


class Settings:
    on = True
    sizes = (1, 2)


@NOTED
def test_no_guard_is_joined_with_another_object(recording):
    """Held against what torch really added for each object."""
    with frames() as noted, watched() as true:
        torch.compile(class_of_the_class, backend="eager")(torch.ones(2), Settings())
        for name in ("module_hooks_of_all_kinds", "dataclasses_and_namedtuples_changed"):
            function, arguments = AWKWARD[name]()
            compiled = torch.compile(function, backend="eager")
            for one in arguments:
                with contextlib.suppress(Exception):  # of Dynamo, on older torch
                    compiled(*one)
    known = total = 0
    for manager, _ in noted:
        guards, _ = live_guards(manager)
        assert wrong(guards, true[id(manager)]) == []
        known += sum(isinstance(guard.origin, GuardOrigin) for guard in guards)
        total += len(guards)
    assert total > 100
    assert known / total > 0.8
    assert recording.errors == []


@NOTED
def test_conditions_on_several_keys_of_a_dict_are_told_apart(recording):
    def f(x, options):
        if "a" in options:
            x = x + 1
        return x if "b" in options else -x

    torch.compile(f, backend="eager")(torch.ones(2), {"a": 1})
    guards = unjit.explain(f).entries[0].guards
    found = {guard.condition: calls(guards, guard)[-1][1] for guard in guards if guard.kind == "DICT_CONTAINS"}
    assert [code for text, code in found.items() if "'a'" in text] == ['if "a" in options:']
    assert [code for text, code in found.items() if "'b'" in text] == ['return x if "b" in options else -x']


def test_several_origins_that_part_are_no_origin():
    raw = guard_origins.RawOrigins(
        (
            guard_origins.RawOrigin("DICT_CONTAINS", "L['d']", ("k",), None, 1, None),
            guard_origins.RawOrigin("DICT_CONTAINS", "L['d']", ("k",), None, 2, None),
        ),
        ((None, "a.py", 1, "f"), (0, "b.py", 2, "g"), (None, "b.py", 2, "g")),
        Unknown("nothing is to be built again"),
    )
    joined = Origins(raw)
    text = "___dict_contains('k', L['d'])"
    found = joined.of("DICT_CONTAINS", "L['d']", Comment("x", "b.py", 2, "g", None), text)
    assert isinstance(found, Unknown)
    assert "several" in found.reason
    elsewhere = joined.of("DICT_CONTAINS", "L['d']", Comment("x", "b.py", 3, "g", None), text)
    assert "no Guard object" in str(elsewhere)
    assert joined.lines() == ()


def test_nothing_is_kept_alive(recording):
    class Layer(torch.nn.Module):
        def forward(self, x):
            return x * 2

    gc.collect()
    before = len(guard_origins._KNOWN)
    layer = Layer()
    torch.compile(layer, backend="eager")(torch.ones(2))
    assert len(guard_origins._KNOWN) == before + 1
    gone = weakref.ref(layer), weakref.ref(Layer)
    del layer, Layer
    torch._dynamo.reset()
    gc.collect()
    assert len(guard_origins._KNOWN) == before
    assert [one() for one in gone] == [None, None]


def test_a_torch_that_does_not_tell_loses_the_calls_alone(monkeypatch, recording):
    monkeypatch.setattr(trace_probes, "GUARD_CALLS", Probe("Guard.was_renamed", "the calls", "no calls are known"))
    assert torch.equal(torch.compile(outer, backend="eager")(*ARGUMENTS), outer(*ARGUMENTS))
    guards = unjit.explain(outer).entries[0].guards.data
    assert "no calls are known" in str(guards.lines)
    assert all(isinstance(guard.cause, (Place, Unknown, type(None))) for guard in guards)


def test_an_error_of_ours_stays_ours(monkeypatch, recording):
    monkeypatch.setattr(guard_origins, "_read", lambda *_made: 1 / 0)
    assert torch.equal(torch.compile(outer, backend="eager")(*ARGUMENTS), outer(*ARGUMENTS))
    assert recording.errors == ["ZeroDivisionError: division by zero"]
