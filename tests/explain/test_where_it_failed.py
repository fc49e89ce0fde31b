"""The line of the program at which a compile failed: in a run, in a capture's findings, and to who asks afterwards."""

from __future__ import annotations

import linecache
import reprlib
from pathlib import Path

import pytest
import torch

import unjit
from needs import refused_before
from unjit.findings import concerns
from unjit.model import Place, Unknown
from unjit.observe.messages.trace_records import read_failed_at
from unjit.observe.recorded.report import read_run
from unjit.render.captures.run import overview

THREE, FILE = torch.ones(3), Path(__file__).name


def reshaped(x):
    return x.view(7)


def calls_it(x):
    return reshaped(x + 1)


def shortened(x):
    return x + len(reprlib.repr([1, 2]))


def _fail(function, *arguments, **options) -> None:
    with pytest.raises(Exception, match=r"."):  # its class is torch's own
        torch.compile(function, backend="eager", **options)(*arguments)


def test_a_run_has_the_line_in_what_was_called(recorder):
    _fail(calls_it, THREE)
    text = "\n".join(overview(read_run(recorder)))
    assert f"    at {FILE}:{_line(reshaped)} in reshaped: return x.view(7)" in text


@refused_before("2.13", "has other words for it")
def test_what_an_operation_said_is_told_of_a_compile_that_it_ended(nothing_compiled):
    compiled = torch.compile(lambda x: x @ torch.ones(7, 7), backend="eager")
    with unjit.capture() as session, pytest.raises(RuntimeError):
        compiled(torch.ones(3, 3))
    (failed,) = [one for one in concerns(session.data) if one.kind == "failed"]
    assert failed.what.endswith("a and b must have same reduction dim, but got [3, 3] X [7, 7].")


def test_what_inductor_cannot_lower_has_its_line(nothing_compiled):
    from torch._inductor.lowering import lowerings, register_lowering

    @torch.library.custom_op("unjit_tests::not_lowered", mutates_args=())
    def not_lowered(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    not_lowered.register_fake(torch.empty_like)
    operator = torch.ops.unjit_tests.not_lowered.default

    @register_lowering(operator, type_promotion_kind=None)
    def refuses(_x):
        raise ValueError("not here")

    def lowers(x):
        return not_lowered(x * 2)

    try:
        with unjit.capture() as session, pytest.raises(Exception, match="not here"):
            torch.compile(lowers, backend="inductor")(THREE)
        text = "\n".join(overview(session.data.report))
        assert f"    at {FILE}:{_line(lowers)} in lowers: return not_lowered(x * 2)" in text
        assert f"{FILE}:{_line(lowers)} in lowers" in str(unjit.explain(lowers))
    finally:
        del lowerings[operator]


@refused_before("2.13", "traces it, or has other lines of it")
def test_a_line_in_a_library_has_the_line_of_the_program_that_led_there(nothing_compiled):
    with unjit.capture() as session:
        _fail(shortened, THREE, fullgraph=True)
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert isinstance(failed.place, Place)
    assert failed.place.file.endswith("reprlib.py")
    assert [caller.function for caller in failed.callers] == ["shortened"]
    assert f"called from {FILE}:{_line(shortened)} in shortened" in str(session)


def test_afterwards_torch_has_the_innermost_line_alone(nothing_compiled):
    _fail(calls_it, THREE)
    (failed,) = unjit.explain(calls_it).report.functions[0].compiles
    assert [place.line for place in failed.failed_at] == [_line(reshaped)]
    assert f"at {FILE}:{_line(reshaped)}: return x.view(7)" in str(unjit.explain(calls_it))


@refused_before("2.13", "traces it, or has other lines of it")
def test_afterwards_callers_of_a_line_in_a_library_are_unknown(nothing_compiled):
    _fail(shortened, THREE, fullgraph=True)
    (failed,) = unjit.explain(shortened).report.functions[0].compiles
    assert isinstance(failed.breaks[0].stack, Unknown)
    assert "called from: unknown (torch keeps the innermost line alone" in str(unjit.explain(shortened))


@refused_before("2.10", "names another place, or compiles it")
def test_no_place_is_promised_where_torch_tells_none(nothing_compiled):
    compiled = torch.compile(lambda x: x.sin().sum(), backend="aot_eager")
    torch.vmap(compiled)(torch.ones(2, 3))
    text = str(unjit.explain(compiled))
    assert "torch does not say where" in text
    assert "See below for the place" not in text


def one_size(x):
    return x + 1 if x.shape[0] == 3 else x - 1


@refused_before("2.10", "says it without the line, or otherwise")
def test_a_size_that_was_not_to_vary_has_the_line_that_made_it_a_constant(recorder):
    marked = torch.ones(3)
    torch._dynamo.mark_dynamic(marked, 0)
    _fail(one_size, marked)
    line = f"    at {FILE}:{_line(one_size)} in one_size: return x + 1 if x.shape[0] == 3 else x - 1"
    assert line in "\n".join(overview(read_run(recorder)))
    assert line in str(unjit.explain(one_size))


def test_the_lines_are_those_of_the_last_error():
    own = 'from user code:\n   File "a.py", line 3, in f\n    g(x)\n  File "b.py", line 5, in g\n    x.y\n\nSet TORCH'
    head = 'Traceback (most recent call last):\n  File "torch.py", line 1, in run\n'
    places = read_failed_at(f"{head}Error: it\n\n{own}")
    assert [(place.file, place.line, place.code) for place in places] == [("a.py", 3, "g(x)"), ("b.py", 5, "x.y")]
    assert read_failed_at(f"{head}Error: it\n\n{own}\n\nDuring that, another:\n\n{head}Error: that\n") == ()


def _line(function) -> int:
    return function.__code__.co_firstlineno + 1


def test_two_captures_that_failed_at_other_lines_differ(tmp_path):
    for name, line in (("one", "x.view(7)"), ("other", "x.view(8)"), ("again", "x.view(7)")):
        torch._dynamo.reset()
        file = tmp_path / "program.py"
        file.write_text(f"def main(x):\n    x = x + 1\n    return {line}\n")
        linecache.checkcache(str(file))
        scope: dict = {}
        exec(compile(file.read_text(), str(file), "exec"), scope)
        with unjit.capture(tmp_path / name):
            _fail(scope["main"], THREE)
    (change,) = unjit.diff(unjit.load(tmp_path / "one"), unjit.load(tmp_path / "other")).data.changes
    assert (change.topic, "x.view(8)" in change.second) == ("compiles", True)
    assert not unjit.diff(unjit.load(tmp_path / "one"), unjit.load(tmp_path / "again")).data.changes
