"""`unjit.step` on compiled functions, and `unjit run --step` and `--debug`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import textwrap

import pytest
import torch
import torch._dynamo

import unjit
from needs import lacking, needs, refused_before
from unjit.stepping.session import Stepper
from unjit.torch_private.probes import cache_probes, call_probes

STOPS = """
import torch

@torch.compile(backend="eager")
def stops(x):
    y = x + 1
    breakpoint()
    return y * 2

print("result", stops(torch.ones(2)))
"""
PROGRAM = """
import torch

def other(x):
    return x + 1

def breaks(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

compiled, rest = (torch.compile(function, backend="eager") for function in (breaks, other))
for _ in range(2):
    rest(torch.ones(2))
    print("result", compiled(torch.ones(2), torch.ones(2)))
"""
THREADS = """
import threading, torch

@torch.compiler.disable
def elsewhere(x):
    thread = threading.Thread(target=threads, args=(x, False))
    thread.start()
    thread.join()

@torch.compile(backend="eager")
def threads(x, again):
    y = x + 1
    if again:
        elsewhere(x)
    return y * 2

for _ in range(2):
    print("result", threads(torch.ones(2), True))
"""
reads_stacks = needs(call_probes.STACK_VALUES)


def breaks(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


@pytest.fixture(scope="module")
def compiled():
    torch._dynamo.reset()
    function = torch.compile(breaks, backend="eager")
    function(torch.ones(3), torch.ones(3))
    yield function
    torch._dynamo.reset()


def answers(compiled, commands):
    output = io.StringIO()
    with Stepper(breaks.__code__, io.StringIO("".join(f"{command}\n" for command in commands)), output):
        result = compiled(torch.ones(3), torch.ones(3))
    assert result.tolist() == [0.5] * 3
    return output.getvalue().split("(unjit) ")


@pytest.mark.smoke
def test_generated_code_is_stepped_beside_its_source(compiled):
    printed = answers(compiled, ["l all", "c"])
    assert "generated code of breaks (equivalent) @" in printed[0]
    assert " = __compiled_fn_" in printed[0]
    assert "POP_JUMP" in printed[1]
    assert "return __resume_at_" in printed[1]


@reads_stacks
def test_values_on_the_stack_have_their_expressions(compiled):
    printed = answers(compiled, ["b RETURN_VALUE", "until 99", "c", "stack", "p __stack__[-1].shape", "c", "stack"])
    assert "=  <Tensor float32[3] cpu>" in printed[4]
    assert printed[5] == "torch.Size([3])\n"


def says(x):
    y = x * 2
    print("says")
    return y + 1


@reads_stacks
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions write the call without a variable")
def test_the_stack_is_named_as_the_source_beside_it_and_its_variables_can_be_asked():
    torch._dynamo.reset()
    function = torch.compile(says, backend="eager")
    function(torch.ones(3))
    output = io.StringIO()
    typed = ["s", "stack", "p _t1"] * 60
    with Stepper(says.__code__, io.StringIO("".join(f"{command}\n" for command in typed)), output):
        function(torch.ones(3))
    printed = output.getvalue().split("(unjit) ")
    beside = next(index for index, shown in enumerate(printed) if "PRECALL" in shown and "_t1('says')" in shown)
    assert "_t1  =  <built-in function print>" in printed[beside + 1]
    assert printed[beside + 2] == "<built-in function print>\n"


@reads_stacks
def test_a_list_on_the_stack_is_told_with_what_it_holds_by_now():
    torch._dynamo.reset()
    function = torch.compile(says, backend="eager")
    function(torch.ones(3))
    output = io.StringIO()
    with Stepper(says.__code__, io.StringIO("s\nstack\n" * 90), output):
        function(torch.ones(3))
    lists = re.findall(r"\d: (\[.*\])  =  (\[.*\])", output.getvalue())
    assert [pair for pair in lists if "," in pair[1]]
    assert [pair for pair in lists if pair[0].count(",") != pair[1].count(",")] == []


class Joins:
    def joined(self, values):
        return "b".join(values)

    def __repr__(self):
        return "joins"


def calls(x, bound):
    return textwrap.indent(x.upper(), x), bound([x, x])


@reads_stacks
def test_what_is_called_lies_on_the_stack_with_its_arguments_as_what_it_is():
    operation = "CALL" if sys.version_info >= (3, 11) else "CALL_METHOD"
    typed = [f"b {operation}", *["c", "stack", "p __stack__[-1]"] * 3]
    output = io.StringIO()
    with Stepper(calls.__code__, io.StringIO("".join(f"{command}\n" for command in typed)), output):
        calls("a", Joins().joined)
    printed = output.getvalue().split("(unjit) ")
    assert "self of x.upper  =  'a'\n" in printed[3]
    assert "textwrap.indent  =  <function indent" in printed[3]
    assert "textwrap.indent  =  <function indent" in printed[6]
    assert printed[7] == "'a'\n"
    assert printed[10] == "['a', 'a']\n"
    assert not any("NULL  =" in answer for answer in printed)
    if sys.version_info[:2] == (3, 11):  # which takes a bound method apart before it calls it
        assert "self of bound  =  joins" in printed[9]


def test_it_goes_on_in_the_resume_function(compiled):
    printed = answers(compiled, ["b breaks", "c", "w", "c"])
    assert "generated code of torch_dynamo_resume_in_breaks" in printed[2]
    assert "  generated code of breaks (equivalent) @" in printed[3]


def test_a_resume_function_is_met_by_the_name_that_reports_give_it():
    """Both ways on from one break have the same name to Dynamo."""
    torch._dynamo.reset()
    function = torch.compile(breaks, backend="eager")
    for b in (torch.ones(3), -torch.ones(3)):
        function(torch.ones(3), b)
    negative, positive = (breaks.__code__.co_firstlineno + line for line in (3, 4))
    names = (f"breaks_resumes_at_{negative}", f"breaks_resumes_at_{positive}_2")  # the number is a report's
    printed = [answers(function, [f"b {name}", "c", "q"]) for name in names]
    assert printed[0][2] == ""
    assert "> generated code of torch_dynamo_resume_in_breaks" in printed[1][2]


@needs(cache_probes.PRECOMPILE_ENTRIES)
def test_what_stands_in_for_an_entry_is_stepped(compiled):
    with unjit.debug(compiled, quiet=True):
        assert answers(compiled, ["q"])[0].startswith("> generated code of breaks (equivalent) @")
    entry = unjit.explain(compiled).entries[0]
    with entry.copy().install():
        assert answers(compiled, ["q"])[0].startswith("> generated code of breaks (equivalent) @")
    edited = entry.code.source.replace("def breaks", "# edited\ndef breaks")
    with entry.edit(edited).install():
        assert answers(compiled, ["q"])[0].startswith("> breaks at <edited breaks")


def gives_up(x):
    y = x + 1
    torch._dynamo.graph_break()
    try:
        torch._dynamo.graph_break()
    finally:
        y = y * 2
    return y


@refused_before("2.9", "gives up what goes on together with the function")
def test_a_resume_function_that_dynamo_gave_up_is_stepped_as_it_runs():
    output = io.StringIO()
    with Stepper(gives_up.__code__, io.StringIO("s\n" * 300), output):
        torch.compile(gives_up, backend="eager")(torch.ones(3))
    assert "-- torch_dynamo_resume_in_gives_up_at_" in output.getvalue()


def test_a_function_that_is_compiled_by_the_call_is_stepped(monkeypatch):
    torch._dynamo.reset()
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert unjit.step(torch.compile(breaks, backend="eager"), torch.ones(3), torch.ones(3)).tolist() == [0.5] * 3


def scaled(x):
    return x * 2


def calls_another(x):
    return scaled(x) + 1


def test_a_breakpoint_on_a_function_that_never_began_says_so(monkeypatch, capsys):
    torch._dynamo.reset()
    monkeypatch.setattr("sys.stdin", io.StringIO("b scaled\nb calls_another\nb no_such\ncl 3\nc\nc\nc\n"))
    function = torch.compile(calls_another, backend="eager")
    function(torch.ones(3))
    unjit.step(function, torch.ones(3))
    told = re.findall("-- breakpoint (.*) began in what was stepped", capsys.readouterr().out)
    assert told == ["1: function scaled: none", "2: function calls_another: none"]


async def later(x):
    return x + 1


def test_a_call_in_which_nothing_is_stepped_says_so(capsys):
    coroutine = unjit.step(later, 1)
    coroutine.close()
    assert "-- there was nothing to step: later runs when what the call gave is used" in capsys.readouterr().out
    assert isinstance(unjit.step(torch.nn.ReLU), torch.nn.ReLU)
    assert "-- there was nothing to step: neither forward itself ran" in capsys.readouterr().out


def run(tmp_path, *options, typed="", text=PROGRAM):
    program = tmp_path / "program.py"
    program.write_text(text)
    command = [sys.executable, "-m", "unjit", "run", *options, str(program)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=240, check=True)


def test_run_step_stops_in_each_run_of_the_function_and_nowhere_else(tmp_path):
    done = run(tmp_path, "--step", "breaks", typed="b no_such\n" + "c\n" * 8)
    runs, functions = 2, 3
    # Without it what is watched goes on after the first run, and Dynamo may compile the watch.
    if lacking(call_probes.SET_CALL_HOOK):
        runs, functions = 1, int(re.search(r"Dynamo saw (\d+) functions", done.stderr)[1])
    assert done.stdout.count("> generated code of breaks (equivalent) @") == runs
    assert "generated code of other" not in done.stdout
    assert done.stdout.count("result tensor([0.5000, 0.5000])") == 2
    assert f"unjit: Dynamo saw {functions} functions" in done.stderr
    assert "stopped nowhere" not in done.stderr
    watched = "what was stepped" if lacking(call_probes.SET_CALL_HOOK) else "a run of breaks, and --step breaks looks"
    assert done.stdout.count(f"-- breakpoint 1: function no_such: none began in {watched}") == 1


def test_run_step_says_why_it_stopped_nowhere(tmp_path):
    done = run(tmp_path, "--step", "brakes")
    assert "unjit: --step stopped nowhere: no function is called 'brakes'; there are: " in done.stderr


NESTED = """
import torch
def outer():
    @torch.compile(backend="eager")
    def inner(x):
        return x + 1
    return inner
print(outer()(torch.ones(2)))
"""


@pytest.mark.parametrize("name", ["inner", "outer.inner", "outer.<locals>.inner"])
def test_run_step_finds_a_function_in_another(tmp_path, name):
    done = run(tmp_path, "--step", name, text=NESTED, typed="c\n")
    assert "> generated code of inner" in done.stdout
    assert "tensor([2., 2.])" in done.stdout


GIVEN_UP = """
import torch
class Net(torch.nn.Module):
    def forward(self, x):
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x
torch.compile(Net(), backend="eager")(torch.ones(2))
"""


def test_run_step_says_that_a_method_was_given_up_and_why(tmp_path):
    (tmp_path / "given_up.py").write_text(GIVEN_UP)
    command = [sys.executable, "-m", "unjit", "run", "--step", "Net.forward", str(tmp_path / "given_up.py")]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=240, check=True)
    (told,) = (line for line in done.stderr.splitlines() if "--step stopped nowhere: " in line)
    own = "Net_forward" if sys.version_info >= (3, 11) else "forward"  # before, code does not tell its class
    assert own in told
    assert "has no compiled code: skipped: Dynamo gave it up at a graph break" in told


def test_run_debug_says_where_to_stop(tmp_path):
    done = run(tmp_path, "--debug")
    assert done.stdout.count("result tensor([0.5000, 0.5000])") == 2
    assert "  breaks, compile 0: break " in done.stderr
    assert "  other, compile 0, captured: break " in done.stderr


@needs(call_probes.SET_STRATEGY)
def test_run_debug_keeps_dynamo_off_a_debugger_in_the_midst_of_compiled_code(tmp_path):
    done = run(tmp_path, "--debug", text=STOPS, typed="n\nn\nc\n")
    assert "result tensor([4., 4.])" in done.stdout
    assert "(Pdb) " in done.stdout
    assert "Dynamo saw 2 functions" in done.stderr  # with what resumes it


@needs(call_probes.GET_CALL_HOOK)
def test_run_step_says_what_it_could_not_step(tmp_path):
    done = run(tmp_path, "--step", "threads", text=THREADS, typed="c\n" * 9)
    assert done.stdout.count("result tensor([4., 4.])") == 2
    assert "-- meanwhile its code ran once in other threads, and was not stepped there\n" in done.stdout
