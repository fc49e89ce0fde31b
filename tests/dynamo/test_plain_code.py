"""Profiling scaffolding taken out of generated code, on real compiles."""

from __future__ import annotations

import dis

import pytest

torch = pytest.importorskip("torch")

from needs import refused_before  # noqa: E402
from unjit.decompiler import decompile  # noqa: E402  # after the skip
from unjit.observe.entries.profiler_scaffolding import without_scaffolding  # noqa: E402

_RECORDERS = "record_pregraph_bytecode"


def _generated(function, *args):
    """What Dynamo generated for `function`, first entry."""
    from torch._dynamo.eval_frame import _debug_get_cache_entry_list

    torch._dynamo.reset()
    torch.compile(function, backend="eager")(*args)
    return _debug_get_cache_entry_list(function.__code__)[0].code


def _all_generated():
    """Everything that Dynamo generated and that is alive."""
    from unjit.torch_private.calling.calls import generated_codes

    return generated_codes()


@refused_before("2.9", "makes no scaffolding for its profiler")
def test_the_scaffolding_is_gone_and_the_rest_gives_the_same():
    """The plain code computes what the whole code computes, and mentions no recorder."""

    def scaled(x, k):
        return x * k + 1

    code = _generated(scaled, torch.ones(3), 2)
    plain = without_scaffolding(code)
    assert plain is not None
    assert plain.left_out > 0
    assert not any(_RECORDERS in str(i.argval) for i in dis.get_instructions(plain.code))
    function = type(scaled)(plain.code, scaled.__globals__)
    assert torch.equal(function(torch.ones(3), 2), torch.full((3,), 3.0))
    answer = decompile(plain.code)
    assert answer.verdict.value != "opaque"
    assert _RECORDERS not in answer.source


def test_scaffolding_that_asks_first_whether_the_profiler_is_on():
    """As torch 2.15 writes it, which tests the profiler's switch before each call of a recorder."""

    def scaled(x, y):
        tmp_3 = __import_torch_dot_autograd_dot_profiler._is_profiler_enabled  # noqa: F821
        tmp_2 = __import_torch_dot__dynamo_dot_utils  # noqa: F821
        tmp_1 = None
        if tmp_3:
            tmp_1 = tmp_2.record_pregraph_bytecode_enter()
        z = x * y
        if tmp_1 is not None:
            tmp_2.record_pregraph_bytecode_exit(tmp_1)
        return z

    plain = without_scaffolding(scaled.__code__)
    assert plain is not None
    source = decompile(plain.code).source
    assert "tmp" not in source
    assert type(scaled)(plain.code, {})(3, 4) == 12


@refused_before("2.9", "makes no scaffolding for its profiler")
def test_the_module_that_has_the_recorders_serves_other_things_too():
    """Dynamo calls `call_size` from the same module, for a size that a graph gets as an argument."""

    def sized(x):
        torch._dynamo.graph_break()
        return x * 2

    torch._dynamo.reset()
    compiled = torch.compile(sized, backend="eager", dynamic=True)
    compiled(torch.ones(3))
    compiled(torch.ones(4))
    codes = [code for code in _all_generated() if _RECORDERS in " ".join(code.co_names)]
    assert any("call_size" in code.co_names for code in codes)
    for code in codes:
        plain = without_scaffolding(code)
        assert plain is not None
        assert not any(_RECORDERS in str(i.argval) for i in dis.get_instructions(plain.code))


def test_a_constant_that_cannot_be_hashed_is_no_name():
    """Dynamo's constants are any objects."""

    def f():
        return __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_enter, "here"  # noqa: F821

    code = f.__code__.replace(co_consts=tuple({} if const == "here" else const for const in f.__code__.co_consts))
    assert without_scaffolding(code) is None


def test_code_without_scaffolding_stays():
    """Nothing to take out is None, not a copy."""
    assert without_scaffolding(_generated.__code__) is None


def test_scaffolding_entangled_with_the_program_stays():
    """A variable of the scaffolding that the program reads keeps all of it."""

    def entangled():
        tmp = utils.record_pregraph_bytecode_enter()  # noqa: F821  # never runs
        return tmp  # noqa: RET504  # the variable is the point

    assert without_scaffolding(entangled.__code__) is None


def test_a_fault_in_leaving_it_out_is_told_and_the_whole_code_is_shown(monkeypatch):
    import unjit
    from unjit.observe.entries import code as reader

    def scaled(x, k):
        return x * k + 1

    def fails(_code):
        raise RuntimeError("no bytes")

    _generated(scaled, torch.ones(3), 2)
    monkeypatch.setattr(reader, "without_scaffolding", fails)
    text = str(unjit.explain(scaled))
    assert "How much of it serves torch's profiler is unknown (what serves the profiler could not be read: " in text
    assert "RuntimeError: no bytes" in text
    assert "__compiled_fn" in text
