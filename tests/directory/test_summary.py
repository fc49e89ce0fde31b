"""`unjit summary`: the facts that matter, most important first, in as many tokens as are asked for."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch._dynamo

import unjit
from needs import refused_before
from programs import awkward_run
from unjit.cli import main
from unjit.findings import concerns
from unjit.model import Message
from unjit.render.captures.brief import brief
from unjit.render.captures.tokens import tokens

LABELS = torch.arange(8) % 5


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


def test_a_sentence_ends_the_line_of_a_function():
    net = torch.nn.Linear(3, 3)
    with unjit.capture() as session:
        torch.compile(lambda x: net(x) + 1, backend="eager")(torch.ones(3))
        torch._dynamo.reset()
    text = session.summary(max_tokens=5000)
    assert "1 cache entry, 1 graph, 2 operations in its graphs, invalidated: Dynamo dropped its entries" in text


@refused_before("2.8", "does not tell from which operations a kernel is")
@pytest.mark.parametrize(
    ("function", "is_small"),
    [(lambda x: torch.nn.functional.cross_entropy(x, LABELS, label_smoothing=0.1), False), (lambda x: -x, True)],
)
def test_one_operation_that_is_several_for_inductor_is_not_small(function, is_small, nothing_compiled):
    with unjit.capture(fresh=True) as session:
        torch.compile(function)(torch.randn(8, 5, requires_grad=True)).sum().backward()
    assert [one.kind for one in concerns(session.data)] == ["small graph"] * is_small


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
    text = session.summary(max_tokens=5000)
    assert re.search(rf"called from .*{Path(__file__).name}:{line} in function", text)
    assert "- <python>/copy.py:" in text
    assert f"- <python> is {Path(copy.__file__).parent}" in text


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


def test_where_there_is_no_room_advice_ends_with_a_sentence(awkward):
    sentence = "This is what helps, and it takes some words to say why that is so."
    (first, *_) = concerns(awkward.data)
    long = dataclasses.replace(first, advice=Message(" ".join([sentence] * 6)))
    (advice,) = re.findall(r"to do: (.*)", brief(awkward.data, [long], max_tokens=600))
    assert advice == " ".join([sentence] * 4) + " …"


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
    def copies(x):
        return copy.deepcopy(x) + 1

    with unjit.capture() as session, pytest.raises(Exception, match="deepcopy"):
        copies(torch.ones(2))
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert failed.advice.startswith("Avoid calling copy.deepcopy() on tensors")
    assert "error.txt has all of the error" in failed.advice


@refused_before("2.13", "has other words for it")
def test_of_what_runs_under_a_transform_it_is_said_to_compile_around_that(nothing_compiled):
    compiled = torch.compile(lambda x: x.sin().sum(), backend="aot_eager")
    with unjit.capture() as session:
        torch.func.vmap(compiled)(torch.ones(3, 2))
    (failed,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert "compile the transform too, as in torch.compile(torch.func.vmap(function))" in failed.advice


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
    hint = next(one.advice for one in concerns(awkward.data) if one.advice is not None and len(one.advice) >= 190)
    assert hint in awkward.summary(max_tokens=20000)
    assert hint not in awkward.summary(max_tokens=800)


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


@refused_before("2.10", "cuts the print elsewhere")
def test_a_recompile_of_a_resume_function_is_told_in_words_of_the_program(summed):
    functions = (one for one in summed.data.report.functions if one.resume is not None)
    guards = [guard for one in functions for made in one.compiles for guard in made.failed_guards]
    told = {guard.told for guard in guards} | {str(one.what) for one in concerns(summed.data)}
    assert any(one.startswith("float(y.sum()) == ") and one.endswith(" did not hold") for one in told)
    assert not any("___stack" in one for one in told)
    assert "___stack" not in str(summed.summary(max_tokens=5000))


@refused_before("2.9", "names code of torch.fx otherwise")
def test_a_graph_of_torch_fx_is_told_without_where_torch_says_that_it_is_from(nothing_compiled):
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()))
    with unjit.capture() as session:
        torch.compile(traced, backend="eager")(torch.ones(2, 3))
    told = session.summary()
    (function,) = [line for line in told.splitlines() if line.startswith("- forward (<eval_with_key>")]
    assert " from " not in function
