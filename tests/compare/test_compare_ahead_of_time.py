"""`unjit.compare` and `unjit compare` of what aot_compile made: it runs as it is, beside what is compiled anew."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
import torch

import unjit
from needs import needs, refused_before
from toys import needs_compiler
from unjit.api.compare import compare_on
from unjit.errors import BadCall
from unjit.model import Difference
from unjit.render.side_by_side.comparison import comparison_text
from unjit.torch_private.probes.trace_probes import AHEAD_FUNCTION, COMPILE_AHEAD

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    needs(COMPILE_AHEAD, AHEAD_FUNCTION),
    refused_before("2.12", "has no aot_compile with these arguments"),
]
BIAS = 1.0
ONES = torch.ones(4)


def scaled(x, times, *, shift=0):
    return (x.sin() * times + BIAS + shift).relu().sum()


class Net(torch.nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.inner(x)).relu()


def ahead(function=scaled, args=(ONES, 3), backend="aot_eager"):
    return torch.compile(function, fullgraph=True, backend=backend).aot_compile((args, {}))


def compare(compiled, *args):
    return compare_on(("eager",), compiled, args, {})


def last(compared):
    return compared.data.trials[-1]


def test_it_is_compared_last_and_as_it_is():
    compared = unjit.compare(ahead(), ONES, 3)
    assert compared
    assert [trial.backend for trial in compared.data.trials[:3]] == ["eager", "aot_eager", "inductor"]
    assert (last(compared).backend, last(compared).made) == ("aot_eager (made ahead of time)", "ahead of time")
    told = "aot_eager (made ahead of time): the same (1 graph call compared)\nAll agree with eager."
    assert str(compared).endswith(told)
    assert str(compared).startswith("scaled: eager and 4 backends")


def test_what_it_read_and_the_program_has_changed_since_differs(monkeypatch):
    compiled = ahead()
    monkeypatch.setattr(sys.modules[__name__], "BIAS", 2.0)  # torch asks no guards on globals of what is made ahead
    compared = compare(compiled, ONES, 3)
    assert not compared
    assert [trial.outcome for trial in compared.data.trials] == ["same", "differs"]
    assert compared.data.first is last(compared)
    assert "in eager 18.097" in str(compared)
    assert "what is compiled for this call agrees: this was made for other values" in str(compared)
    assert "the difference is in what Dynamo does" not in str(compared)


def test_where_eager_differs_from_itself_nothing_is_said_of_why_it_differs(monkeypatch):
    compiled = ahead()
    monkeypatch.setattr(sys.modules[__name__], "BIAS", 2.0)
    found = compare(compiled, ONES, 3).data
    unsteady = replace(found, unsteady=(Difference("result", "1 of 1 values differ"),))
    assert "what is compiled for this call agrees" in comparison_text(found)
    assert "what is compiled for this call agrees" not in comparison_text(unsteady)


def test_where_its_guards_do_not_hold_it_fails_and_eager_does_not():
    compared = compare(ahead(), ONES, 4)
    assert last(compared).outcome == "failed"
    assert "its guards do not hold for this call, and it compiles nothing: unjit.why says which" in str(compared)


def test_without_guards_it_computes_what_it_was_made_for():
    compiled = ahead()
    compiled.disable_guard_check()
    assert compare(compiled, ONES, 3)
    assert last(compare(compiled, ONES, 4)).outcome == "differs"


def test_arguments_that_do_not_fit_are_refused():
    with pytest.raises(BadCall, match=r"the arguments do not fit scaled\(x, times, \*, shift=0\)"):
        compare(ahead(), ONES)


def test_a_forward_that_is_handed_its_module_is_the_modules():
    net = Net()
    compared = compare(ahead(net.forward, (torch.ones(2, 4),)), net, torch.ones(2, 4))
    assert compared
    assert compared.data.function.endswith("Net.forward")
    assert net.inner.weight.grad is None
    with torch.no_grad():
        assert last(compare(ahead(net.forward, (torch.ones(2, 4),)), net, torch.ones(2, 4))).outcome == "same"


def test_gradients_are_compared():
    net, x = Net(), torch.ones(2, 4)
    compiled = ahead(net.forward, (x,))
    own = compiled.fn

    def wrong(*args):
        out = own(*args)
        return out + 2 * (out - out.detach())  # in its gradients alone

    compiled.fn = wrong
    compared = compare(compiled, net, x)
    assert {str(one.where) for one in last(compared).differences} == {
        "gradient of module.inner.weight",
        "gradient of module.inner.bias",
    }


@needs_compiler
def test_where_it_draws_other_random_numbers_nothing_is_said_of_it():
    net = Net(dropout=0.5)
    compared = compare(ahead(net.forward, (torch.ones(8, 4),), "inductor"), net, torch.ones(8, 4))
    assert last(compared).outcome == "unknown"
    assert compared.data.first is None
    assert not compared
    assert "inductor (made ahead of time): unknown: it draws other random numbers than eager" in str(compared)
    assert str(compared).endswith("All that could be compared agrees with eager.")
    assert "not all backends could be compared" in repr(compared)


@needs_compiler
def test_one_that_is_read_from_a_file_has_the_globals_of_its_module(tmp_path):
    ahead(backend="inductor").save_compiled_function(str(tmp_path / "made"))
    with (tmp_path / "made").open("rb") as file:
        loaded = torch.compiler.load_compiled_function(file)
    assert compare(loaded, ONES, 3)


PROGRAM = """
import torch
from torch._dynamo.aot_compile import ModelInput

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x).relu()

def scaled(x, times):
    return (x.sin() * times).sum()

torch.manual_seed(0)
net, x = Net(), torch.ones(2, 4)
forward = torch.compile(net.forward, fullgraph=True, backend="eager").aot_compile(((x,), {}))
for factor in range(4):
    print(forward(net, x * factor).sum().item())
made = torch.compile(scaled, fullgraph=True, backend="eager").aot_compile(((torch.ones(4), 3), {}))
made.disable_guard_check()
print(made(torch.ones(4), 3).item(), made(torch.ones(4), 5).item())
print(torch.compile(lambda x: made(x, 3) + 1, backend="eager")(torch.ones(4)).item())
torch._dynamo.config.enable_aot_compile = True
whole = torch.compile(Net(), fullgraph=True, backend="eager")
whole._aot_compile([ModelInput((x,), {}, [])])
print(whole(x).sum().item())
"""


def test_a_program_notices_nothing_and_its_calls_are_compared(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    plain, compared = (
        subprocess.run([sys.executable, *arguments, file], capture_output=True, text=True, check=False, timeout=300)
        for arguments in ([], ["-m", "unjit", "compare", "--calls", "2", "--backend", "eager"])
    )
    assert plain.returncode == 0, plain.stderr
    assert compared.stdout == plain.stdout
    assert compared.returncode == 1, compared.stderr
    told = compared.stderr
    assert "Net.forward (program.py:10), calls 1 to 2: the same in eager, eager (made ahead of time)" in told
    assert "scaled (program.py:13), call 1: the same in eager, eager (made ahead of time)" in told
    assert "scaled (program.py:13), call 2: eager (made ahead of time) differs" in told
    assert "<lambda> (program.py:24), call 1: the same in eager" in told
    assert told.endswith("The first that does not agree with eager: eager (made ahead of time), in scaled, call 2.\n")
