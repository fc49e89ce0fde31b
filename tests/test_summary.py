"""`unjit summary`: the facts that matter, most important first, in as many tokens as are asked for."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch._dynamo

import unjit
from needs import needs_guards_of_attributes, refused_before
from programs import awkward_run
from unjit.cli import main
from unjit.findings import concerns
from unjit.render.tokens import tokens


@refused_before("2.11", "does not say that a break was in a loop")
def test_what_is_worth_acting_on_is_found_with_its_line(awkward):
    found = {one.kind: one for one in reversed(concerns(awkward.data))}
    kinds = {"failed", "recompile limit", "not compiled", "break in a loop", "graph break", "recompile", "small graph"}
    assert set(found) == kinds
    assert found["break in a loop"].place.code == 'print("in a loop")'
    assert found["recompile limit"].function == "constants"
    assert found["failed"].function == "fails"
    (branch,) = [one for one in concerns(awkward.data) if "Data-dependent" in one.what]
    assert branch.paths == ("functions/branches/compile_0", "functions/branches/compile_1")
    assert "takes k for a constant" in found["recompile"].advice
    sizes = [one for one in concerns(awkward.data) if one.kind == "recompile" and one.function == "branches"]
    assert "mark_dynamic(a, 0)" in sizes[0].advice


@refused_before("2.11", "does not say that a break was in a loop")
def test_a_summary_has_everything_with_file_and_line(awkward):
    text = awkward.summary(max_tokens=5000)
    line = awkward_run.branches.__code__.co_firstlineno + 2
    assert f"awkward_run.py:{line} in branches: graph break: Data-dependent branching (2 compiles)" in text
    assert "- constants (" in text
    assert "Slowest compiles:" in text
    for line in text.partition("Slowest compiles:")[2].splitlines():
        whole, *parts = [float(found) for found in re.findall(r"([\d.]+) s\b", line)] or [0.0]
        assert sum(parts) <= whole + 0.03, line  # each is rounded
    assert "Left out: graphs, guards, code and kernels: see " in text
    assert text.index(": failed: ") < text.index(": recompile limit: ") < text.index(": break in a loop: ")
    assert text.index(": break in a loop: ") < text.index(": recompile: ") < text.index("\nFunctions:")


def advice(*calls, run=lambda x: x + 1):
    """What is advised on a function that is called so, each time in a context of its own."""
    torch._dynamo.reset()
    compiled = torch.compile(run, backend="eager", dynamic=False)
    with unjit.capture() as session:
        for around, *arguments in calls:
            with around:
                compiled(*arguments)
    return next(one.advice for one in concerns(session.data) if one.kind == "recompile")


@refused_before("2.9", "tells less of a guard that did not hold")
@needs_guards_of_attributes
def test_the_most_common_cause_comes_first(nothing_compiled):
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.seen = []

        def forward(self, x, number):
            torch._dynamo.graph_break()
            self.seen.append(number)
            return x + number if number % 3 == 0 else x * 2

    torch._dynamo.reset()
    with unjit.capture() as session:
        compiled = torch.compile(Keeps(), backend="eager")
        for number in range(6):
            compiled(torch.ones(4 + number % 2), number)
    again = {one.function: one for one in concerns(session.data) if one.kind == "recompile"}
    rest = next(one for name, one in again.items() if "resumes" in name)
    assert rest.place.code == "self.seen.append(number)"
    assert rest.advice.startswith("Dynamo makes an entry for each length of self.seen")
    assert "mark_dynamic" not in rest.advice, "what is marked there was made in the function"
    assert "self.seen) ==" in rest.what.partition("; ")[0]
    assert "did not hold; " in rest.what
    assert "1 graph break," in session.summary(max_tokens=5000), "one place, though each recompile met it again"


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_on_what_is_missing_or_is_no_function(nothing_compiled):
    def of(run, first, second):
        return advice(here(torch.ones(3), first), here(torch.ones(3), second), run=run)

    assert "See to it that d['k'] is there in all calls" in of(lambda x, d: x * d.get("k", 1), {"k": 2}, {"j": 2})
    assert "Pass f with the same class" in of(lambda x, f: f(x), lambda x: x + 1, functools.partial(torch.add, other=1))


def here(*arguments):
    return (contextlib.nullcontext(), *arguments)


def test_advice_follows_from_what_torch_says_of_a_tensor(nothing_compiled):
    def of(first, second):
        return advice(here(first), here(second))

    assert "for example by x.contiguous()" in of(torch.ones(2, 3), torch.ones(3, 2).t())
    assert "compile with dynamic=True, or pass it as a tensor" in of(np.ones(3), np.ones(4))
    assert "mark_dynamic(x, 0)" in of(torch.ones(3), torch.ones(4))
    assert "x.detach() will do where it needs no gradient" in of(torch.ones(3), torch.ones(3, requires_grad=True))
    assert "an entry of its own for a size of 0 or 1: pad x, " in of(torch.ones(3), torch.ones(1))
    with torch.inference_mode():
        inference = torch.ones(3)
    assert "made under torch.inference_mode is of another kind" in of(torch.ones(3), inference)
    assert "Pass x with the same class" in of(torch.ones(3), torch.nn.Parameter(torch.ones(3)))


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_follows_from_what_torch_says_of_its_settings(nothing_compiled):
    x = torch.ones(3, 3)
    assert "torch's grad_mode is another" in advice(here(x), (torch.no_grad(), x))
    autocast = torch.autocast("cpu", dtype=torch.bfloat16)
    assert "torch's autocast" in advice(here(x), (autocast, x), run=lambda x: x @ x)
    assert "the same default device and modes" in advice(here(x), (torch.device("cpu"), x))


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x)


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_follows_from_what_torch_says_of_a_plain_value(nothing_compiled):
    x = torch.ones(3)

    def of(first, second, run):
        return advice(here(x, first), here(x, second), run=run)

    said = of(1.5, 2.5, lambda x, f: x * f)
    assert "Dynamo takes f for a constant: pass it as a tensor" in said
    assert "Dynamo lets most numbers vary by themselves from the second value on." in said
    for first, second in (("a", "b"), (True, False), (None, "b")):
        said = of(first, second, lambda x, f: x + 1 if f == "a" or f is True or f is None else x - 1)
        assert "an entry for each value of f" in said, (first, second)
    assert "an entry for each length of f" in of([x, x], [x, x, x], lambda x, f: x + len(f))
    assert "stack it, if of tensors, into one" in of({"a": 1}, {"a": 1, "b": 2}, lambda x, f: x + len(f))
    assert "an entry for each f:" in of(torch.sin, torch.cos, lambda x, f: f(x))
    assert "an entry for each f:" in of(lambda x: x + 1, lambda x: x + 2, lambda x, f: f(x))


class Grows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 3
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x * self.scale * self.step


@refused_before("2.9", "tells less of a guard that did not hold")
def test_what_dynamo_never_lets_vary_is_not_said_to_vary_by_itself(nothing_compiled):
    net = Grows()
    compiled = torch.compile(net, backend="eager")
    for name, values in (("step", (3, 4, 5)), ("scale", (torch.ones(3), torch.ones(4), torch.ones(5)))):
        torch._dynamo.reset()
        with unjit.capture() as session:
            for value in values:
                setattr(net, name, value)
                compiled(torch.ones(1))
        (said,) = [one.advice for one in concerns(session.data) if one.kind == "recompile"]
        assert f"self.{name}" in said
        assert "by itself" not in said, said
        assert "by themselves" not in said, said
    weights = [torch.nn.Parameter(torch.ones(size)) for size in (3, 4, 5)]
    said = advice(*((contextlib.nullcontext(), one) for one in weights))
    assert "torch._dynamo.config.force_parameter_static_shapes = False" in said
    assert "vary" not in said


@contextlib.contextmanager
def evaluating(model):
    model.eval()
    yield
    model.train()


@refused_before("2.9", "tells less of a guard that did not hold")
@needs_guards_of_attributes
def test_advice_on_the_mode_of_a_module_asks_for_no_tensor(nothing_compiled):
    model = Small()
    x = torch.ones(3)
    assert "one entry for training and one for evaluation" in advice(here(x), (evaluating(model), x), run=model)


@refused_before("2.12", "breaks at the program's own call of copy.deepcopy")
def test_a_break_in_a_library_names_the_line_of_the_program_that_led_there(nothing_compiled):
    def function(x):
        y = copy.deepcopy(x)
        return y + 1

    with unjit.capture() as session:
        torch.compile(function, backend="eager")(torch.ones(2))
    (found, *_) = [one for one in concerns(session.data) if one.callers]
    line = function.__code__.co_firstlineno + 1
    assert not found.place.is_of_the_program
    assert [caller.line for caller in found.callers] == [line]
    assert re.search(rf"called from .*{Path(__file__).name}:{line} in function", session.summary(max_tokens=5000))


@pytest.mark.parametrize("most", [300, 400, 500, 1000, 2000])
def test_a_short_summary_keeps_what_matters_most_and_says_what_it_left_out(awkward, most):
    text = awkward.summary(max_tokens=most)
    assert tokens(text) <= most
    everything = [one.kind for one in concerns(awkward.data)]
    told = re.findall(r"^- \S+ in \w+: ([\w ]+): ", text, re.MULTILINE)
    assert told == everything[: len(told)]
    assert "Left out: " in text
    if most < 1000:
        assert re.search(r"Left out: (\d+ [\w ]+, )+graphs", text)


def test_too_few_tokens_are_refused(awkward):
    with pytest.raises(unjit.UnjitError, match="at least 300 tokens; 50 were asked for"):
        awkward.summary(max_tokens=50)


def test_the_estimate_is_rather_too_high():
    """Words as all common tokenizers have them whole; numbers, of which some make a token of each digit."""
    assert tokens("the function was compiled again") == 1 + 3 + 1 + 3 + 2
    assert tokens("x = 12") == 1 + 1 + 1 + 1 + 2
    assert tokens("é€") == 5
    assert tokens("") == 0


def test_the_command(awkward, tmp_path, capsys):
    assert main(["summary", str(awkward.directory), "--max-tokens", "400"]) == 0
    assert capsys.readouterr().out == unjit.load(awkward.directory).summary(max_tokens=400)
    assert main(["summary", str(tmp_path)]) == 2
    assert "holds no capture" in capsys.readouterr().err
    assert main(["summary", str(awkward.directory), "--max-tokens", "3"]) == 2
    assert "at least 300" in capsys.readouterr().err


def test_reasons_that_name_an_entry_made_before_the_capture_or_before_a_reset(nothing_compiled):
    run = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    run(torch.ones(2))
    with unjit.capture() as session:
        run(torch.ones(3))
        torch._dynamo.reset()
        run(torch.ones(4))
    (found,) = [one for one in concerns(session.data) if one.kind == "recompile"]
    assert "expected 2, actual 3" in found.what


def test_an_error_that_ended_the_block_is_told(tmp_path):
    torch._dynamo.reset()

    def raises(x):
        torch.compile(lambda x: x + 1, backend="eager")(x)
        raise ValueError("mine\nand more")

    with pytest.raises(ValueError, match="mine"), unjit.capture(tmp_path / "out"):
        raises(torch.ones(3))
    loaded = unjit.load(tmp_path / "out")
    assert loaded.data.run.raised == "ValueError: mine"
    assert "\nIt ended with ValueError: mine\n" in str(loaded.summary())


def test_of_what_ended_without_a_word_no_number_is_the_last(tmp_path, capsys):
    """As on a disk that was full when the index was to be written: there is none to read on in."""
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out"):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
    for name in ("index.json", "index.md"):
        (tmp_path / "out" / name).unlink()
    assert main(["summary", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Dynamo saw at least 1 function, 1 compile")
    assert told.endswith(f"kernels: see {tmp_path / 'out'}\n")


@pytest.mark.parametrize(
    ("end", "raised"),
    [
        ("raise ValueError('mine')", "ValueError: mine"),
        ("compile('1 +', 'other.py', 'exec')", "SyntaxError: invalid syntax (other.py, line 1)"),
        ("class Mute(Exception):\n    def __str__(self): raise KeyError\nraise Mute", "Mute"),
        ("raise SystemExit(3)", None),
        ("", None),
    ],
)
def test_an_error_that_ended_the_program_is_told(tmp_path, end, raised):
    program = tmp_path / "program.py"
    program.write_text(f"import torch, unjit\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(3))\n{end}\n")
    ways = {"run": ([sys.executable, "-m", "unjit", "run", "--out", str(tmp_path / "run")], {})}
    ways["environment"] = ([sys.executable], {"UNJIT_OUT": str(tmp_path / "environment")})
    rank = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}
    ways["rank"] = ([sys.executable, "-m", "unjit", "run", "--out", str(tmp_path / "rank")], rank)
    for name, (command, variables) in ways.items():
        subprocess.run([*command, str(program)], env=os.environ | variables, capture_output=True, check=False)
        (file,) = (tmp_path / name).rglob("run.json")
        assert json.loads(file.read_text())["raised"] == raised, name


def test_what_a_test_raised_did_not_end_the_program(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import torch\ndef test_it():\n    assert torch.compile(lambda x: -x, backend='eager')(torch.ones(3)) is None\n"
    )
    command = [sys.executable, "-m", "unjit", "run", "--out", "out", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed" in done.stdout
    assert unjit.load(tmp_path / "out").data.run.raised is None


@refused_before("2.13", "has other words for it")
def test_of_an_error_the_hint_of_torch_is_told():
    @torch.compile(backend="eager", fullgraph=True)
    def branches(x):
        return x.sin() if x.sum() > 0 else x

    with unjit.capture() as session, pytest.raises(Exception, match="branching"):
        branches(torch.ones(2))
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert failed.advice.startswith("For the common pattern")
    assert "error.txt has all of the error" in failed.advice


def says_the_sum(x):
    y = x * 2 + 1
    print("sum", float(y.sum()))
    return y.relu() + 1


@pytest.fixture
def summed(nothing_compiled, capsys):
    with unjit.capture() as session:
        for value in (1, 2, 3):
            torch.compile(says_the_sum, backend="eager", dynamic=False)(torch.full((3,), float(value)))
    return session


@refused_before("2.10", "cuts the print elsewhere")
def test_a_resume_function_is_told_by_the_line_where_it_goes_on_and_by_words_of_the_program(summed):
    again = next(one for one in concerns(summed.data) if one.kind == "recompile")
    assert "takes float(y.sum()) for a constant where says_the_sum goes on: " in again.advice
    line = says_the_sum.__code__.co_firstlineno + 2
    text = summed.summary(max_tokens=5000)
    key = next(one.key for one in summed.functions if f"at_{line}" in one.key)
    assert re.search(rf"- {key} \(\S+:{line} in says_the_sum\): ", text)


def test_what_has_no_tensor_operations_is_told_last(nothing_compiled):
    def counts(x):
        return len(x.shape)

    def breaks(x):
        torch._dynamo.graph_break()
        return x + 1

    with unjit.capture() as session:
        torch.compile(counts, backend="eager")(torch.ones(2))
        torch.compile(breaks, backend="eager")(torch.ones(2))
    kinds = [one.kind for one in concerns(session.data)]
    assert kinds.index("graph break") < kinds.index("not compiled")


@refused_before("2.13", "gives shorter hints")
def test_lines_are_cut_only_where_there_is_no_room(awkward):
    hint = next(one.advice for one in concerns(awkward.data) if "Data-dependent" in one.what)
    assert len(hint) >= 300
    assert hint in awkward.summary(max_tokens=20000)
    assert hint not in awkward.summary(max_tokens=800)


def up_to_its_size(x):
    return sum(x[at] * at for at in range(x.shape[0]))


def test_a_size_that_the_code_needs_as_a_number_is_not_advised_to_vary(nothing_compiled):
    with unjit.capture() as session:
        compiled = torch.compile(up_to_its_size, backend="eager")
        compiled(torch.ones(3, 2)), compiled(torch.ones(4, 2))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "mark_dynamic(x, 0)" in again.advice  # the first recompile does not tell yet
    with unjit.capture() as session:
        compiled = torch.compile(up_to_its_size, backend="eager")
        for size in (5, 6):
            compiled(torch.ones(size, 2))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert again.advice.startswith("Several sizes of x have an entry each (3, 4, 5 in dimension 0)")
    assert "Let the size of" not in again.advice


def test_a_slice_of_a_larger_tensor_is_advised_to_be_copied(nothing_compiled):
    sliced = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    with unjit.capture() as session:
        sliced(torch.ones(8)[5:]), sliced(torch.ones(3))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "pass x.clone() in all calls" in again.advice



@pytest.fixture
def one_rank():
    distributed = torch.distributed
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.parametrize("is_wrapped", [True, False])
def test_that_no_operation_was_compiled_is_said(nothing_compiled, one_rank, is_wrapped):
    """DistributedDataParallel breaks ahead of its module, and Dynamo begins at no forward of torch's own."""
    module = torch.nn.Linear(3, 3)
    with unjit.capture() as session:
        torch.compile(torch.nn.parallel.DistributedDataParallel(module) if is_wrapped else module, backend="eager")(
            torch.ones(2, 3)
        )
    found = [one for one in concerns(session.data) if "no operation on a tensor was compiled" in one.what]
    assert len(found) == is_wrapped
    if is_wrapped:
        assert concerns(session.data)[0] == found[0]
        assert isinstance(found[0].place.line, int)
