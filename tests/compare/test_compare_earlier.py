"""What was compiled for earlier calls, beside eager: it runs where it fits, and is told where it differs."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest
import torch
import torch._inductor.config

import unjit
from needs import refused_before
from unjit.api.compare import compare_on
from unjit.api.explain import explain
from unjit.comparison.runs import earlier as what_was_compiled
from unjit.errors import NoRoom
from unjit.model import BackendTrial
from unjit.torch_private.cache.backends import records_cuda_graphs
from unjit.torch_private.calling.callers import caller_of

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    refused_before("2.13", "may call what a comparison compiled, which has no region of its own"),
]
ONES = torch.ones(4)
SETTINGS = {"gain": 2.0}


@pytest.fixture(autouse=True)
def gain_before():
    yield
    SETTINGS["gain"] = 2.0


@torch.compiler.assume_constant_result
def gain():
    return SETTINGS["gain"]  # torch asks no guard on it, as the program has told it


def amplified(x):
    return x.sin() * gain()


class Amplifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        x = self.inner(x)
        torch._dynamo.graph_break()
        return amplified(x)


def called_before(function, *args, backend="eager"):
    """Compiled, and called with another gain than there is afterwards."""
    compiled = torch.compile(function, backend=backend)
    compiled(*args)
    SETTINGS["gain"] = 3.0
    return compiled


def compare(compiled, *args, backend="eager"):
    return compare_on((backend,), compiled, args, {})


def earlier(compared) -> list[BackendTrial]:
    return [trial for trial in compared.data.trials if trial.made == "earlier"]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_an_entry_that_has_become_wrong_is_told(backend):
    compared = compare(called_before(amplified, ONES, backend=backend), ONES)
    assert not compared
    assert [trial.outcome for trial in compared.data.trials] == ["same", "differs"]
    assert compared.data.first is compared.data.trials[-1]
    assert str(compared).splitlines()[0] == "amplified: eager and 1 backend, on the same inputs and random state"
    assert "  what was compiled earlier: differs\n    result: 4 of 4 values differ" in str(compared)
    assert "it was compiled for an earlier call: for other sizes, or its guards do not ask" in str(compared)
    assert str(compared).endswith("The first that does not agree with eager: what was compiled earlier.")


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(Amplifier(), id="a module with a break"),
        pytest.param(torch.nn.Sequential(torch.nn.Linear(4, 4), Amplifier()), id="one of torch's"),
        pytest.param(Amplifier().forward, id="a method"),
    ],
)
def test_the_entries_of_modules_and_resume_functions_run_too(function):
    (trial,) = earlier(compare(called_before(function, ONES), ONES))
    assert trial.outcome == "differs"
    assert {str(found.where).partition(" of ")[0] for found in trial.differences} == {"result", "gradient"}


def test_what_agrees_or_fits_no_call_is_not_named():
    compiled = torch.compile(amplified, backend="eager")
    compiled(ONES)
    assert str(compare(compiled, ONES)).endswith("All agree with eager."), "it agrees"
    SETTINGS["gain"] = 3.0
    assert compare(compiled, ONES.double()), "no entry is for this type"
    assert not compare(compiled, ONES)


def test_code_for_many_sizes_is_compared_as_it_is():
    def of_its_first_size(graph, inputs):
        first = next(one for one in inputs if isinstance(one, torch.Tensor)).shape

        def run(*args):
            fits = any(isinstance(one, torch.Tensor) and one.shape == first for one in args)
            return tuple(out if fits else out + 1 for out in graph(*args))

        return run

    compiled = torch.compile(torch.sin, backend=of_its_first_size, dynamic=True)
    compiled(torch.ones(3))
    compared = unjit.compare(compiled, torch.ones(5))
    assert [trial.outcome for trial in compared.data.trials] == ["same"] * 4 + ["differs"]
    assert earlier(compared)


def test_an_entry_for_inputs_that_shared_no_memory_is_told():
    """torch 2.13 asks no guard on that, though the graph that AOTAutograd made is wrong for others."""

    def doubles_the_first(x, y):
        x.mul_(2)
        return x + y

    base = torch.ones(8)
    compiled = torch.compile(doubles_the_first, backend="aot_eager")
    compiled(torch.ones(4), torch.ones(4))
    (trial,) = earlier(compare(compiled, base[:4], base[2:6], backend="aot_eager"))
    assert [str(found.where) for found in trial.differences] == ["result"]


def test_random_numbers_of_the_backends_own_are_no_difference():
    def noisy(graph, inputs):
        return lambda *args: tuple(out + torch.rand(()) for out in graph(*args))

    compiled = torch.compile(amplified, backend=noisy)
    compiled(ONES)
    assert compare(compiled, ONES)


def test_an_entry_that_raises_by_now_is_told():
    def once(graph, inputs):
        left = ["first call"]

        def run(*args):
            if SETTINGS["gain"] == 3.0:
                raise RuntimeError("worn out")
            return graph(*args)

        assert left.pop()
        return run

    compared = compare(called_before(torch.sin, ONES, backend=once), ONES)
    (trial,) = earlier(compared)
    assert (trial.outcome, trial.error) == ("failed", "RuntimeError: worn out")
    assert "  what was compiled earlier: failed: RuntimeError: worn out" in str(compared)


def test_where_there_is_no_memory_for_its_run_that_is_told(monkeypatch):
    @contextlib.contextmanager
    def without_room(_function):
        raise NoRoom("too little memory is free")
        yield

    compiled = called_before(amplified, ONES)
    monkeypatch.setattr(what_was_compiled, "compiled_earlier", without_room)
    compared = compare(compiled, ONES)
    (trial,) = earlier(compared)
    assert (trial.outcome, trial.error) == ("unknown", "too little memory is free")
    assert not compared


def test_where_a_backend_differs_it_is_not_run():
    def wrong(graph, inputs):
        return lambda *args: tuple(out + 1 for out in graph(*args))

    compiled = called_before(amplified, ONES, backend=wrong)
    compared = unjit.compare(compiled, ONES)
    assert compared.data.first.backend == "wrong (the program's own)"
    assert not earlier(compared)


def test_the_programs_entries_stay_and_the_one_that_ran_is_tried_first_as_after_a_call():
    compiled = called_before(amplified, ONES)
    compiled(ONES.double())

    def tried():
        return [str(entry).partition(" (")[0] for entry in explain(compiled).entries]

    assert tried() == ["Cache entry 0/1", "Cache entry 0/0"]
    compare(compiled, ONES)
    assert tried() == ["Cache entry 0/0", "Cache entry 0/1"]


@pytest.mark.parametrize(
    ("given", "may"),
    [
        ({"backend": "eager"}, False),
        ({"backend": "inductor"}, False),
        ({"backend": lambda graph, inputs: graph}, True),
        ({"backend": "inductor", "mode": "reduce-overhead"}, True),
        ({"backend": "inductor", "options": {"triton.cudagraphs": True}}, True),
    ],
)
def test_which_backends_may_record_cuda_graphs(given, may):
    backend = caller_of(torch.compile(amplified, **given)).backend
    assert records_cuda_graphs(backend) == may


def test_the_setting_for_all_of_the_program_records_them_too():
    with torch._inductor.config.patch({"triton.cudagraphs": True}):
        assert records_cuda_graphs(caller_of(torch.compile(amplified)).backend)


PROGRAM = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3, bias=False)

    def forward(self, x):
        return self.inner(x) * gain()

@torch.compiler.assume_constant_result
def gain():
    return 1.0 if epoch == 0 else 0.5

torch.manual_seed(0)
net = Net()
compiled = torch.compile(net, backend="aot_eager")
step = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    loss = compiled(torch.ones(2, 3)).square().sum()
    loss.backward()
    step.step()
    step.zero_grad()
    print(round(loss.item(), 5))
"""


def test_a_program_notices_nothing_and_hears_of_it(tmp_path):
    file = tmp_path / "epochs.py"
    file.write_text(PROGRAM)
    plain = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=300, check=True)
    command = [sys.executable, "-m", "unjit", "compare", "--backend", "eager", file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == plain.stdout
    assert done.returncode == 1, done.stderr
    assert "Net (epochs.py:9), call 1: the same in eager\n" in done.stderr
    assert "Net (epochs.py:9), call 2: what was compiled earlier differs\n" in done.stderr
    assert "gradient of module.inner.weight: 9 of 9 values differ" in done.stderr
    assert done.stderr.endswith("eager: what was compiled earlier, in Net, call 2.\n")
