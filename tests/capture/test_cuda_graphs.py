"""Graphs that run without CUDA graphs, though the program asked for them: why, where, and what to do.

The backend `cudagraphs` skips them on the CPU by torch's own code, as Inductor does on a GPU.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import unjit
from needs import needs
from unjit.findings import concerns
from unjit.findings.cuda_graphs import advice_on_skip
from unjit.model import Unknown
from unjit.observe.messages.cuda_graphs import cuda_graph_skips
from unjit.observe.recorded.report import read_run
from unjit.render.captures.run import overview
from unjit.torch_private.probes import history_probes

FILE = Path(__file__).name


def product(x, w):
    return (x @ w).relu().sum()


AT = f"{FILE}:{product.__code__.co_firstlineno + 1} in product: return (x @ w).relu().sum()"


def _train(function, **options) -> None:
    compiled = torch.compile(function, backend="cudagraphs", **options)
    compiled(torch.ones(4, 8), torch.ones(8, 8, requires_grad=True)).backward()


@needs(history_probes.SKIP_REASONS)
def test_a_run_says_why_and_where(recorder):
    _train(product)
    lines = overview(read_run(recorder))
    told = lines[lines.index("Without CUDA graphs:") :]
    assert told[1].startswith("  product  [0/0]: cpu device (")
    assert told[2] == f"    at {AT}"
    assert told[3].startswith("    to do: ")


@needs(history_probes.SKIP_REASONS)
def test_who_asks_afterwards_is_told_the_same(nothing_compiled):
    _train(product)
    text = str(unjit.explain(product))
    assert "Without CUDA graphs: cpu device (" in text
    assert f"at {AT}" in text


@needs(history_probes.SKIP_REASONS)
def test_a_capture_has_it_as_a_concern(tmp_path, nothing_compiled):
    with unjit.capture(tmp_path / "out"):
        _train(product)
    session = unjit.load(tmp_path / "out")
    (found,) = (one for one in concerns(session.data) if one.kind == "no CUDA graph")
    assert found.place.code == "return (x @ w).relu().sum()"
    assert "no CUDA graph: cpu device (" in str(session.summary())


def test_other_backends_are_not_said_to_lack_them(recorder):
    compiled = torch.compile(product, backend="aot_eager")
    compiled(torch.ones(4, 8), torch.ones(8, 8, requires_grad=True)).backward()
    assert "Without CUDA graphs:" not in overview(read_run(recorder))


AT_A_LINE = 'Found from : \n   File "a.py", line 7, in f\n    x.add_(1)\n'
OPERATOR = "incompatible op aten.nonzero.default"


@pytest.mark.parametrize(
    ("text", "reason", "line", "advice"),
    [
        ("skipping cudagraphs due to mutated inputs (1 instances)", "mutated inputs (1 instances)", None, "parameter"),
        (f"skipping cudagraphs due to mutated inputs. {AT_A_LINE}", "mutated inputs", 7, "parameter"),
        (f"disabling cudagraphs due to {OPERATOR} {AT_A_LINE}", OPERATOR, 7, "outside"),
        ("skipping cudagraphs due to multiple devices: cuda:0, cpu", "multiple devices: cuda:0, cpu", None, "one GPU"),
        ("skipping cudagraphs due to something new", "something new", None, None),
    ],
)
def test_torchs_words_are_taken_apart(text, reason, line, advice):
    (found,) = cuda_graph_skips([None, text])
    assert found.reason == reason
    assert line is None if isinstance(found.place, Unknown) else found.place.line == line
    said = advice_on_skip(found)
    assert said is None if advice is None else advice in said


@needs(history_probes.SKIP_REASONS)
def test_a_redacted_capture_keeps_the_kind_of_the_reason(tmp_path, nothing_compiled):
    with unjit.capture(tmp_path / "out"):
        _train(product)
    unjit.redact(tmp_path / "out", tmp_path / "clean")
    (compiled,) = unjit.load(tmp_path / "clean").data.compiles
    assert {skip.reason for skip in compiled.compile.cuda_graph_skips} == {"cpu device"}
