"""`unjit compare SCRIPT`: the program notices nothing, and what parts is named."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import textwrap
from typing import ClassVar

import pytest
import torch

import unjit
from judge import PROGRAMS
from needs import refused_before
from unjit.cli.compare import _whole_lines, answer, status
from unjit.comparison.restoring.reached import Reached
from unjit.comparison.runs.calls import CallComparer
from unjit.errors import UnjitError
from unjit.model import ProgramComparison, Unknown
from unjit.render.side_by_side.program_comparison import program_comparison_text
from unjit.torch_private.calling.compiled_calls import on_compiled_calls


def ran(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300, check=False)


def compare(*arguments):
    return ran("-m", "unjit", "compare", *arguments)


def test_the_program_notices_nothing_and_all_agree():
    program = str(PROGRAMS / "compared.py")
    plain, compared = ran(program), compare("--backend", "eager", "--calls", "2", program)
    assert plain.returncode == 0, plain.stderr
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout == plain.stdout
    assert "unjit: compared 6 calls of compiled functions; 2 more were not" in compared.stderr
    assert "step (compared.py:33), calls 1 to 2: the same in eager" in compared.stderr
    assert "Net (compared.py:23), call 1: the same in eager" in compared.stderr
    assert compared.stderr.endswith("All that was compared agrees with eager.\n")


def test_the_first_that_parts_is_named_and_the_programs_failure_is_told(tmp_path):
    file = tmp_path / "answer.json"
    done = compare("--backend", "eager", "--json", str(file), str(PROGRAMS / "parting.py"), "--json", "x")
    assert done.returncode == 1
    assert done.stdout == "[2.0, 2.0] [4.0, 4.0] ['--json', 'x']\n"
    assert "unjit: the program ended with exit status 3" in done.stderr
    assert "twice (parting.py:14), call 1: the same in eager" in done.stderr
    assert "result: 2 of 2 values differ, the worst at [0]: 4, in eager 2" in done.stderr
    assert done.stderr.endswith("The first that does not agree with eager: eager, in scaled, call 1.\n")
    told = json.loads(file.read_text())
    assert [call["function"] for call in told["calls"]] == ["twice", "scaled"]


def test_each_function_that_parts_is_told_in_full_and_stderr_is_the_programs_own(tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
            import sys
            import torch

            def wrong(x):
                return x * (3 if torch.compiler.is_compiling() else 2)

            @torch.compile(backend="eager")
            def one(x):
                print("one", file=sys.stderr)
                return wrong(x)

            @torch.compile(backend="eager")
            def two(x):
                return -wrong(x)

            one(torch.ones(2))
            two(torch.ones(2))
            two(torch.ones(2))
        """)
    )
    done = compare("--backend", "eager", str(tmp_path / "program.py"))
    assert done.stderr.count("one\n") == 1
    assert "the worst at [0]: 3, in eager 2" in done.stderr
    assert done.stderr.count("the worst at [0]: -3, in eager -2") == 1
    assert "two (program.py:13), call 2: eager differs\n" in done.stderr


def test_a_program_in_which_nothing_was_compared_does_not_pass(tmp_path):
    (tmp_path / "program.py").write_text("print('nothing')")
    done = compare(str(tmp_path / "program.py"))
    assert (done.returncode, done.stdout) == (2, "nothing\n")
    assert "nothing was compared" in done.stderr
    assert "the program did not import torch" in done.stderr


@pytest.mark.parametrize(("arguments", "says"), [((), "which program?"), (("--calls", "0", "x.py"), "give 1 or more")])
def test_a_bad_request_says_what_to_do(arguments, says):
    done = compare(*arguments)
    assert done.returncode == 2
    assert says in done.stderr


def test_a_program_that_was_killed_leaves_what_was_known():
    found = answer([], -9)
    assert status(found) == 2
    assert "the program ended by SIGKILL" in program_comparison_text(found)
    assert isinstance(found.uncompared, Unknown)


@pytest.fixture
def told(nothing_compiled):
    answers, failures = [], []
    end = on_compiled_calls(CallComparer(["eager"], 2, answers.append), failures.append)
    yield answers
    end()
    assert failures == []


def test_the_programs_own_backend_is_compared_too(nothing_compiled, monkeypatch):
    monkeypatch.setattr("unjit.comparison.runs.running.BACKENDS", ("eager",))

    def own(graph, _inputs):
        return lambda *inputs: [result + 1 for result in graph(*inputs)]

    answers = []
    end = on_compiled_calls(CallComparer([], 1, answers.append), answers.append)
    try:
        torch.compile(torch.sin, backend=own)  # never called
        torch.compile(lambda x: x * 2, backend=own)(torch.ones(2))
    finally:
        end()
    (found,) = answers
    assert [(trial.backend, trial.outcome) for trial in found.answer.trials] == [
        ("eager", "same"),
        ("own (the program's own)", "differs"),
    ]


def test_a_fault_of_ours_is_noted_and_the_program_goes_on(nothing_compiled):
    failures = []
    end = on_compiled_calls(lambda call: call.nothing_of_the_kind, failures.append)
    try:
        assert torch.compile(lambda x: x * 2, backend="eager")(torch.ones(1)).item() == 2
    finally:
        end()
    assert "nothing_of_the_kind" in str(failures)


def test_inputs_that_cannot_be_copied_are_said_and_the_program_goes_on(told):
    @torch.compile(backend="eager")
    def f(x, numbers):
        return x + next(numbers)

    assert f(torch.ones(1), (n for n in [3])).item() == 4
    assert "cannot be copied" in str(told[0].answer)


def test_a_module_of_torchs_own_is_called_by_its_class(told):
    net = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 2)), backend="eager")
    net(torch.ones(1, 2))
    assert [(call.function, call.answer.trials[0].graphs) for call in told] == [("Sequential", 1)]


@refused_before("2.10", "captures no more with fullgraph=True than without")
def test_what_is_compiled_in_one_graph_is_compared_in_one(told):
    """With fullgraph=True Dynamo captures operations whose result has a size that depends on data."""

    def doubled(x):
        return torch.nonzero(x.sin()) * 2

    compiled = torch.compile(doubled, backend="eager", fullgraph=True)
    compiled(torch.ones(3))
    in_pieces, whole = unjit.compare(doubled, torch.ones(3)).data, unjit.compare(compiled, torch.ones(3)).data
    assert told[0].answer.trials[0].graphs == 1
    assert (in_pieces.trials[0].graphs, whole.trials[0].graphs) == (2, 1)


def test_calls_within_what_is_not_compiled_are_not_compared(told):
    @torch.compile(backend="eager")
    def f(x):
        return x * 2

    with torch.compiler.set_stance("force_eager"):
        f(torch.ones(1))
    assert told == []


STEPPING = """
import torch
torch.manual_seed(0)
net = torch.nn.Linear(8, 1)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)  # other betas in each step
@torch.compile(backend="eager")
def step(x):
    net(x).square().mean().backward()
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
for _ in range(6):
    step(torch.randn(16, 8))
print([parameter.tolist() for parameter in net.parameters()])
"""


@refused_before("2.13", "counts what a comparison compiles of torch's own against the program's limit")
def test_the_programs_own_compiles_are_as_many_as_without(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(STEPPING)
    plain, compared = ran(str(program)), compare("--backend", "eager", "--backend", "aot_eager", str(program))
    assert "recompile_limit" not in plain.stderr
    assert "recompile_limit" not in compared.stderr
    assert compared.stdout == plain.stdout


PARTIAL = """
import functools, itertools, torch
numbers = itertools.count(1)
class Object:
    calls = 0
    def __call__(self, x):
        self.calls += 1
        return x * self.calls
def scaled(x, by):
    return x * by + next(numbers)
class Shared:
    seen = []
    total = 0
    @classmethod
    @torch.compile(backend="eager")
    def add(cls, x):
        cls.total += 1
        return x * cls.total
    @torch.compile(backend="eager")
    def keep(self, x):
        self.seen.append(1)
        return x * len(self.seen)
called = Object()
compiled = [torch.compile(function, backend="eager") for function in (called, functools.partial(scaled, by=2))]
for function in [*compiled, Shared.add, Shared().keep] * 2:
    print(function(torch.ones(2)).tolist())
print(called.calls, next(numbers), Shared.seen, Shared.total)
"""


SIZES = """
import sys
import torch
from torch._dynamo.testing import CompileCounter
from torch._dynamo.utils import counters

counter = CompileCounter()

def part(x):
    return x * 2

@torch.compile(backend=counter)
def over_sizes(x):
    total = 0
    for size in (3, 4, 5):
        print(size)
        total += part(x[:size]).sum()
    return total

over_sizes(torch.ones(9))
print(counter.frame_count, {group: dict(counts) for group, counts in counters.items() if group in ("frames", "stats")})
"""


def test_dynamo_learns_nothing_from_what_is_compared(tmp_path):
    program = tmp_path / "sizes.py"
    program.write_text(SIZES)
    plain, compared = ran(str(program)), compare("--backend", "eager", str(program))
    assert plain.stdout.splitlines()[-1].startswith("2 "), "once for the first size, once for all others"
    assert compared.stdout == plain.stdout
    assert "over_sizes (sizes.py:12), call 1: the same in eager" in compared.stderr


MAPPED = """
import sys
import warnings
import numpy
import torch

warnings.simplefilter("ignore")
numpy.arange(8, dtype=numpy.float32).tofile(sys.argv[1])
data = torch.from_numpy(numpy.memmap(sys.argv[1], dtype=numpy.float32, mode="r"))

@torch.compile(backend="eager")
def look_up(index):
    return data[index] + 1

print(look_up(torch.tensor(2)))
"""


def test_nothing_is_written_into_what_is_mapped_for_reading_alone(tmp_path):
    program = tmp_path / "mapped.py"
    program.write_text(MAPPED)
    compared = compare("--backend", "eager", str(program), str(tmp_path / "numbers"))
    assert (compared.returncode, compared.stdout) == (0, "tensor(3.)\n"), compared.stderr
    assert "look_up (mapped.py:11), call 1: the same in eager" in compared.stderr


def test_what_partials_objects_and_methods_change_is_as_before(tmp_path):
    program, answer = tmp_path / "program.py", tmp_path / "answer.json"
    program.write_text(PARTIAL)
    plain, compared = ran(str(program)), compare("--backend", "eager", "--json", str(answer), str(program))
    assert plain.returncode == 0, plain.stderr
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout == plain.stdout
    told = {call["function"] for call in json.loads(answer.read_text())["calls"]}
    assert told == {"Object", "scaled", "Shared.add", "Shared.keep"}


def test_surroundings_come_back_in_place():
    class Holder:
        def __init__(self):
            self.count = 0
            self.parts = {"a": [1], "b": {2}}

    holder, number, tensor = Holder(), 1, torch.ones(2, requires_grad=True)
    parts = holder.parts

    def change():
        nonlocal number
        number += 1
        holder.count += 1
        holder.parts["a"].append(2)
        holder.parts["b"].add(3)
        holder.parts = dict(holder.parts)
        with torch.no_grad():
            tensor.mul_(2)
        tensor.sum().backward()

    reached = Reached.of([change], set())
    change()
    change()
    reached.put_back_all()
    assert (number, holder.count, tensor.tolist(), tensor.grad) == (1, 0, [1, 1], None)
    assert holder.parts is parts
    assert parts == {"a": [1], "b": {2}}


def test_a_variable_that_a_run_filled_first_is_empty_for_the_next():
    if not torch:
        kept = None

    def scale(x):
        nonlocal kept
        try:
            return x * kept
        except NameError:
            kept = 2
        return x + 1

    found = unjit.compare(scale, 3 * torch.ones(3))
    assert "All agree with eager." in str(found)
    with pytest.raises(NameError):
        print(kept)


def test_where_no_graph_was_called_it_is_said(told):
    """As of a function that Dynamo gives up: its original runs on every backend."""

    def multiplied(a, b):
        return torch.sparse.mm(a, b)

    inputs = torch.eye(3).to_sparse(), torch.ones(3, 3)
    torch.compile(multiplied, backend="eager")(*inputs)
    said = "with eager. No graph was called, so that no operation of torch's was compared as compiled."
    whole = ProgramComparison(tuple(told), 0, (), None)
    assert program_comparison_text(whole).endswith(f"All that was compared agrees {said}")
    assert str(unjit.compare(multiplied, *inputs)).endswith(f"All agree {said}")


class Counted:
    calls = 0
    seen: ClassVar[list[int]] = []

    @classmethod
    def count(cls):
        cls.calls += 1
        cls.seen.append(cls.calls)
        State.total = State.total + 1
        cls.made = True


class State:
    total = 0
    __slots__ = ("later", "step")

    def __init__(self):
        self.step = 0


STATE = State()


def counting(x):
    Counted.count()
    STATE.step += 1
    STATE.later = STATE.step
    return x * 2


def test_what_classes_and_slots_hold_comes_back():
    assert unjit.compare(counting, torch.ones(2)).same
    assert (Counted.calls, Counted.seen, hasattr(Counted, "made")) == (0, [], False)
    assert (State.total, STATE.step, hasattr(STATE, "later")) == (0, 0, False)


def test_the_class_of_an_object_comes_back():
    class Layer(torch.nn.Module):
        calls = 0

        def forward(self, x):
            type(self).calls += 1
            return x * 3 * Layer.calls  # not by 1 alone: Inductor of torch 2.15 then gives the input itself

    assert unjit.compare(Layer(), torch.ones(2)).same
    assert Layer.calls == 0


def test_a_module_that_becomes_another_at_its_first_call_is_as_before():
    lazy = torch.nn.LazyBatchNorm1d(affine=False, track_running_stats=False)
    assert unjit.compare(lambda x: lazy(x), torch.randn(4, 3)).same  # noqa: PLW0108 (a function around it)
    assert type(lazy) is torch.nn.LazyBatchNorm1d
    assert lazy(torch.randn(4, 3)).shape == (4, 3)


class Point(ctypes.Structure):
    made = 0


def test_what_is_written_in_c_does_not_keep_the_rest_from_coming_back():
    pattern = pytest.importorskip("regex").compile("a", pytest.importorskip("regex").V1)
    log = []

    def change():
        log.append(pattern.flags)  # a member for reading alone, and a new number each time
        Point.made += 1
        Point.later = True

    reached = Reached.of([change], set())
    change()
    reached.put_back_all()
    assert (log, Point.made, hasattr(Point, "later")) == ([], 0, False)


def test_what_cannot_be_put_back_is_told_when_all_else_is():
    class Kept(list):
        def clear(self):
            raise RuntimeError("not this one")

    first, kept, last, tensor = [], Kept(), [], torch.ones(2, requires_grad=True)
    tensor.grad = gradient = torch.ones(2)

    def change():
        for one in (first, kept, last):
            one.append(1)
        tensor.grad = None

    reached = Reached.of([change], set())
    change()
    with pytest.raises(RuntimeError, match="not this one"):
        reached.put_back_all()
    assert (first, kept, last) == ([], [1], [])
    assert tensor.grad is gradient


def test_more_than_can_be_put_back_is_refused():
    Reached.of([list(range(200_000))], set())  # numbers hold nothing that could change
    with pytest.raises(UnjitError, match="more than 100,000 objects"):
        Reached.of([[[] for _ in range(100_001)]], set())


def test_a_line_that_the_program_could_not_end_is_left_out():
    assert list(_whole_lines(['{"call": 1}\n', '{"call"'])) == [{"call": 1}]


def test_functions_behind_one_decorator_are_compared_apart_and_told_by_their_own_lines(tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
            import functools
            import torch

            def checked(forward):
                @functools.wraps(forward)
                def wrapper(*args):
                    return forward(*args)
                return wrapper

            class One(torch.nn.Module):
                @checked
                def forward(self, x):
                    return x + 1

            class Two(torch.nn.Module):
                @checked
                def forward(self, x):
                    return x * 2

            @torch.compile(backend="eager")
            @checked
            def three(x):
                return x - 1

            for module in (One(), Two(), One()):
                torch.compile(module, backend="eager")(torch.ones(3))
            three(torch.ones(3))
        """)
    )
    done = compare("--backend", "eager", "--calls", "1", str(tmp_path / "program.py"))
    assert "compared 3 calls of compiled functions; 1 more was not" in done.stderr
    assert "One (program.py:12), call 1: the same in eager" in done.stderr
    assert "Two (program.py:17), call 1: the same in eager" in done.stderr
    assert "three (program.py:21), call 1: the same in eager" in done.stderr
