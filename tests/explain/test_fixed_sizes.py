"""Sizes that Dynamo lets vary and that a line of the program needs as one number: which line, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import unjit
from needs import refused_before
from unjit.findings import concerns
from unjit.observe.listening.size_records import size_record
from unjit.observe.recorded.fixed_sizes import fixed_sizes
from unjit.observe.recorded.report import read_run
from unjit.render.captures.run import overview

FILE = Path(__file__).name
TABLE = {3: 1.0, 4: 2.0, 5: 3.0, 6: 4.0}


def looked_up(x):
    y = x * 2
    return y * TABLE[x.shape[0]]


def beside(x, y):
    z = torch.cat([x + y, x])
    for number in range(y.shape[0]):
        z = z + number
    return z


def of_equal_sizes(x, y):
    z = x * 2 + y[1:]
    return z * TABLE[x.shape[0]]


def _line(function, code: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return lines.index(f"    {code}", function.__code__.co_firstlineno) + 1


def _causes(report, of: str) -> list[list[int | None]]:
    """The lines that keep entries from fitting, compile by compile."""
    (function,) = (one for one in report.functions if one.qualname == of)
    return [[getattr(guard.cause, "line", None) for guard in one.failed_guards] for one in function.compiles]


def _call(function, sizes, *, arguments: int = 1, **options) -> None:
    compiled = torch.compile(function, backend="eager", **options)
    for size in sizes:
        compiled(*(torch.ones(size) for _ in range(arguments)))


def test_a_run_names_the_line_from_the_second_size_on(recorder):
    _call(looked_up, (3, 4, 5))
    line = _line(looked_up, "return y * TABLE[x.shape[0]]")
    report = read_run(recorder)
    assert _causes(report, "looked_up") == [[], [None], [line, None]], "of the first size Dynamo itself makes a number"
    assert f"expected 4, actual 5  ({FILE}:{line} in looked_up: return y * TABLE[x.shape[0]])" in "\n".join(
        overview(report)
    )


def test_a_size_that_is_the_one_of_another_tensor_is_fixed_by_the_same_line(recorder):
    _call(beside, (3, 4, 5), arguments=2)
    assert _causes(read_run(recorder), "beside")[-1] == [_line(beside, "for number in range(y.shape[0]):"), None]


def test_sizes_that_are_found_equal_are_fixed_together(recorder):
    compiled = torch.compile(of_equal_sizes, backend="eager")
    for size in (3, 4, 5):
        compiled(torch.ones(size), torch.ones(size + 1))
    lines = _causes(read_run(recorder), "of_equal_sizes")[-1]
    assert lines[0] in {_line(of_equal_sizes, one) for one in ("z = x * 2 + y[1:]", "return z * TABLE[x.shape[0]]")}


def test_a_size_that_is_told_to_stay_has_no_line(recorder):
    _call(looked_up, (3, 4, 5), dynamic=False)
    assert _causes(read_run(recorder), "looked_up") == [[], [None], [None, None]]


def test_a_capture_names_the_line_and_says_what_to_do(tmp_path, nothing_compiled):
    with unjit.capture(tmp_path / "out"):
        _call(looked_up, (3, 4, 5))
    session = unjit.load(tmp_path / "out")
    line = _line(looked_up, "return y * TABLE[x.shape[0]]")
    assert _causes(session.data.report, "looked_up")[-1] == [line, None]
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert again.place.line == line
    assert again.advice.startswith(f"{FILE}:{line} needs the size of x in dimension 0 as one number")
    assert "dynamic=True" not in again.advice


def test_of_two_symbols_each_has_its_own_line_and_what_equals_one_has_that():
    def made(symbol, source):
        return size_record("create_symbol", {"symbol": symbol, "source": source, "user_stack": [{"line": 1}]})

    def fixed(symbol, line):
        return size_record("symbolic_shape_specialization", {"symbol": symbol, "user_stack": [{"line": line}]})

    def guard(expression, line):
        return size_record("guard_added_fast", {"expr": expression, "user_stack": [{"line": line}]})

    records = [made("s0", "x"), made("s1", "y"), made("s2", "z"), made("s3", "w"), guard("Eq(s0, s2)", 2)]
    records += [guard("Eq(s0, 8)", 3), fixed("s0", 3), guard("Eq(s1, 8)", 4), fixed("s1", 4), guard("Ne(s3, s1)", 5)]
    lines = fixed_sizes(records)
    assert {source: stack[-1]["line"] for source, stack in lines.items()} == {"x": 3, "y": 4, "z": 3}


@pytest.mark.parametrize("dynamic", [None, True])
def test_a_first_size_that_is_marked_or_asked_to_vary_is_fixed_by_a_line_too(dynamic, recorder):
    compiled = torch.compile(looked_up, backend="eager", dynamic=dynamic)
    for size in (3, 4):
        x = torch.ones(size)
        torch._dynamo.maybe_mark_dynamic(x, 0)
        compiled(x)
    assert _causes(read_run(recorder), "looked_up") == [[], [_line(looked_up, "return y * TABLE[x.shape[0]]")]]


@refused_before("2.13", "has other words for it")
def test_a_size_of_whose_range_not_all_fit_has_advice_that_helps(recorder):
    def rows_of_four(x):
        return x.view(-1, 4).sum(0)

    def call(**limits):
        x = torch.ones(8)
        torch._dynamo.mark_dynamic(x, 0, **limits)
        return torch.compile(rows_of_four, backend="eager")(x)

    with pytest.raises(Exception, match="Not all values of"):
        call(min=4, max=64)
    text = "\n".join(overview(read_run(recorder)))
    assert "to do: x.size()[0] is marked dynamic with a range, and the code is made for calls in which `(x.si" in text
    assert call().tolist() == [2.0] * 4


@refused_before("2.13", "does not tell the line of a size that may not be fixed")
def test_a_size_that_is_marked_dynamic_and_needed_as_a_number_has_advice(recorder):
    x = torch.ones(5)
    torch._dynamo.mark_dynamic(x, 0)
    with pytest.raises(Exception, match="Constraints violated"):
        torch.compile(looked_up, backend="eager")(x)
    text = "\n".join(overview(read_run(recorder)))
    line = _line(looked_up, "return y * TABLE[x.shape[0]]")
    assert f"    at {FILE}:{line} in looked_up: return y * TABLE[x.shape[0]]\n    to do: x.size()[0] is marked" in text
    assert "maybe_mark_dynamic" in str(unjit.explain(looked_up))
