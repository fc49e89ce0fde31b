"""A capture of what torch had compiled before, and loads: nothing tells that this ends, and no code is generated."""

from __future__ import annotations

import pytest
import torch

import unjit
from needs import needs, refused_before
from toys import needs_compiler
from unjit.model import Unknown
from unjit.torch_private.probes.trace_probes import CAPTURE_FRAME, EXPORT_WRAPPER, INSTALL_FRAME

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def doubled(x):
    y = x * 2
    print("a break")
    return y + 1


@needs_compiler
@needs(INSTALL_FRAME)
def test_it_is_told_as_loaded_under_the_name_of_its_function(tmp_path, monkeypatch):
    from torch._dynamo.precompile_context import PrecompileContext

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    with torch._dynamo.config.patch(caching_precompile=True):
        first = torch.compile(doubled)(torch.ones(3))
        PrecompileContext.save_to_dynamo_cache()
        torch._dynamo.reset()
        with unjit.capture(tmp_path / "out") as session:
            assert torch.equal(torch.compile(doubled)(torch.ones(3)), first)
    first_line = doubled.__code__.co_firstlineno
    assert [one.place.line for one in session.functions if one.key == "doubled"] == [first_line]
    resume = f"doubled_resumes_at_{first_line + 2}"
    assert session.function("doubled").resume_functions == (resume,)
    with pytest.raises(KeyError, match=r"double; the functions are .*doubled"):
        session.function("double")
    assert session.function(resume).resume.of == "doubled"
    assert session.data.report.roots == ("doubled",)
    assert {str(one.function) for one in session.compiles} == {"doubled", resume}
    for one in session.compiles:
        assert isinstance(one.compile.outcome, Unknown)
        assert "had it compiled already" in one.compile.outcome.reason
        assert one.compile.failed_guards == ()
        assert str(one.entered.file) == __file__
    assert [entry.kind for one in session.functions for entry in one.entries] == ["precompiled"] * 2


@needs_compiler
@refused_before("2.12", "has no aot_compile with these arguments")
def test_what_is_compiled_ahead_of_time_is_no_recompile():
    with unjit.capture() as session:
        torch.compile(doubled_once, fullgraph=True, backend="inductor").aot_compile(((torch.ones(3),), {}))
    (compile_,) = session.compiles
    assert compile_.compile.outcome == "compiled"
    assert compile_.compile.failed_guards == ()
    assert "ecompile" not in session.summary(max_tokens=2000).replace("0 recompiles", "")


class Net(torch.nn.Module):
    def forward(self, x):
        return x.sin()


class Other(torch.nn.Module):
    def forward(self, x):
        return x.cos()


@needs(CAPTURE_FRAME, EXPORT_WRAPPER)
def test_what_is_exported_stands_under_its_module(tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        for module in (Net(), Other(), Net()):  # torch counts from 0/0 again for each
            torch.export.export(module, (torch.ones(3),), strict=True)
        torch.compile(Net(), backend="eager")(torch.ones(3))
    assert [(one.function, one.number) for one in session.compiles] == [
        *(("Net_forward", number) for number in range(3)),
        ("Other_forward", 0),
    ]
    assert ".sin()" in session.text("Net_forward", 1, "captured")
    assert ".cos()" in session.text("Other_forward", 0, "captured")
    exported = session.compiles_of("Other_forward")[0]
    assert str(exported.entered.file) == __file__
    assert isinstance(exported.compile.outcome, Unknown)
    assert session.function("Other_forward").place.line == Other.forward.__code__.co_firstlineno


@needs(CAPTURE_FRAME)
@refused_before("2.12", "has no aot_compile with these arguments")
def test_what_is_compiled_ahead_of_time_stands_under_its_function():
    with unjit.capture() as session:
        torch.compile(doubled_once, fullgraph=True, backend="eager").aot_compile(((torch.ones(3),), {}))
    assert [one.function for one in session.compiles] == ["doubled_once"]


def doubled_once(x):
    return x * 2
