"""A compile that ends by an interrupt: nothing is given up, and the original did not run."""

from __future__ import annotations

import pytest
import torch

import unjit
from needs import refused_before

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    refused_before("2.9", "does not tell an interrupt from a function without tensors"),
]


def broken(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y + 1


class Interrupting:
    """A backend in which an interrupt comes at one of the graphs."""

    def __init__(self, at):
        self.at, self.graphs = at, 0

    def __call__(self, graph, example_inputs):
        self.graphs += 1
        if self.graphs == self.at:
            raise KeyboardInterrupt
        return graph.forward


def interrupted(*calls, at):
    compiled = torch.compile(broken, backend=Interrupting(at), dynamic=False)
    with pytest.raises(KeyboardInterrupt):
        list(map(compiled, calls))
    return compiled


def test_what_was_interrupted_was_not_given_up(tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        compiled = interrupted(torch.ones(3), at=1)
    status = unjit.explain(broken).functions[0].data.status
    assert status.state == "failed"
    assert "Interrupted" in status.detail
    assert "compiles it again" in status.advice
    (captured,) = session.compiles
    assert captured.compile.outcome == "failed"
    assert captured.compile.error.startswith("Interrupted")
    assert session.functions[0].status.state == "failed"
    assert "the original ran" not in (tmp_path / "out" / "index.md").read_text()
    torch.testing.assert_close(compiled(torch.ones(3)), broken(torch.ones(3)))
    assert unjit.explain(broken).functions[0].data.status.state == "compiled"


def test_entries_go_on_running_where_a_later_compile_was_interrupted():
    compiled = interrupted(torch.ones(3), torch.ones(4), at=3)
    assert unjit.explain(broken).functions[0].data.status.state == "compiled"
    assert unjit.why(compiled, torch.ones(3)).outcome == "runs an entry"
    assert unjit.why(compiled, torch.ones(4)).outcome == "compiles"
