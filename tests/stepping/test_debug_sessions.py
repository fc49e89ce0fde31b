"""Real debuggers in real programs: pdb at a terminal, and debugpy as VS Code drives it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stepped_pages import STEP_ME, line_of, step_through
from toys import BACKENDS, needs_compiler

PROGRAM = str(Path(__file__).parents[1] / "programs" / "step_me.py")
ATTACH_ME = str(Path(__file__).parents[1] / "programs" / "attach_me.py")
RESUMED = "functions/step_me_resumes_at_16/compile_0"
PARTS = {  # where to stop first, and a variable with what pdb shows for it one statement later
    "eager": [
        (f"{STEP_ME}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor(False), tensor([0.0000"),
        (f"{RESUMED}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor([0.0000"),
        (f"{STEP_ME}/captured.py", 'add: "f32[4][1]cpu" = abs_1 + 1', "add", "tensor([1., 2., 3., 4.]"),
    ],
    "aot_eager": [
        (f"{STEP_ME}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor(False), tensor([0.0000"),
        (f"{RESUMED}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor([0.0000"),
        (f"{STEP_ME}/forward.py", 'add: "f32[4][1]cpu" = ', "add", "tensor([1., 2., 3., 4.]"),
        (f"{STEP_ME}/backward.py", 'sgn: "f32[4][1]cpu" = ', "sgn", "tensor([0., 1., 1., 1.])"),
    ],
    "inductor": [
        (f"{STEP_ME}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor(False), tensor([0.0000"),
        (f"{RESUMED}/transformed.py", "_t1 = graph_out_0[0]", "graph_out_0", "tensor([0.0000"),
        (f"{STEP_ME}/forward_output_code.py", "buf0 = empty_strided_cpu(", "buf0.shape", "torch.Size("),
        (f"{STEP_ME}/backward_output_code.py", "buf0 = empty_strided_cpu(", "buf0.shape", "torch.Size("),
    ],
}
ADD = ('add: "f32[4][1]cpu" = ', "add", "tensor([1., 2., 3., 4.]")
NEG = ('neg: "f32[4][1]cpu" = ', "neg", "tensor([-1., -1., -1., -1.]")
STAGES = {  # the same of graphs that run in place of what the backend made
    ("aot_eager", "captured"): [(f"{STEP_ME}/captured.py", *ADD)],
    ("inductor", "captured"): [(f"{STEP_ME}/captured.py", *ADD)],
    ("inductor", "forward"): [(f"{STEP_ME}/forward/forward.py", *ADD), (f"{STEP_ME}/forward/backward.py", *NEG)],
    ("inductor", "post_grad"): [(f"{STEP_ME}/post_grad/forward.py", *ADD), (f"{STEP_ME}/post_grad/backward.py", *NEG)],
}
slow = pytest.mark.slow
by_backend = pytest.mark.parametrize("backend", BACKENDS)
by_backend_slowly = pytest.mark.parametrize(
    "backend",
    ["eager", pytest.param("aot_eager", marks=slow), pytest.param("inductor", marks=[slow, needs_compiler])],
)
unix = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")


@unix
@pytest.mark.parametrize("when", ["inside", pytest.param("before", marks=slow)])
@by_backend
def test_pdb_steps_through_everything_that_runs(backend, when, tmp_path):
    from terminal import Pdb

    parts = {
        tmp_path / (name if when == "inside" else name.replace("compile_0", "older_entry_0")): rest
        for name, *rest in PARTS[backend]
    }
    step_through(Pdb(PROGRAM, backend, str(tmp_path), when), parts)


@unix
@pytest.mark.parametrize(
    ("backend", "stage"),
    [pytest.param(*key, marks=() if key[0] != "inductor" else [slow, needs_compiler]) for key in STAGES],
)
def test_pdb_steps_through_the_graphs_of_a_stage(backend, stage, tmp_path):
    from terminal import Pdb

    parts = {tmp_path / name: rest for name, *rest in STAGES[backend, stage]}
    step_through(Pdb(PROGRAM, backend, str(tmp_path), "inside", stage), parts)


@unix
def test_pdb_steps_from_compiled_code_into_the_function_in_which_it_goes_on(tmp_path):
    from terminal import Pdb

    pdb = Pdb(PROGRAM, "eager", str(tmp_path), "inside")
    file = tmp_path / f"{STEP_ME}/transformed.py"
    lines = file.read_text().splitlines()  # the second branch goes on at an offset that each Python has for itself
    last = max(number for number, line in enumerate(lines, 1) if "return __resume_at_" in line)
    pdb.ask(f"b {file}:{last}")
    assert pdb.stop("c")[0] == str(file)
    resume = tmp_path / f"{RESUMED}/transformed.py"
    stops = (pdb.stop("s") for _ in range(40))  # guards may be functions of torch's in Python: they come first
    entered = next(stop for stop in stops if stop[0] == str(resume))
    assert entered[1:] == (line_of(resume, "def torch_dynamo"), "torch_dynamo_resume_in_step_me_at_14")
    assert pdb.stop("n")[:2] == (str(resume), line_of(resume, "graph_out_0 ="))
    where = pdb.ask("w")
    assert where.index(f"{file}(") < where.index(f"> {resume}(")
    assert "the program goes on" in pdb.end()


@by_backend_slowly
def test_debugpy_steps_through_everything_that_runs(backend, tmp_path):
    from dap import Adapter

    adapter = Adapter(PROGRAM, backend, str(tmp_path), "inside")
    assert adapter.stopped()[0][0] == PROGRAM
    parts = {}
    for name, text, variable, shown in PARTS[backend]:
        file = tmp_path / name
        parts[str(file), line_of(file, text)] = (variable, shown)
        assert adapter.break_at(str(file), line_of(file, text)) == [True]
    seen = set()
    for _ in parts:
        file, line, _ = adapter.go("continue")[0]
        variable, shown = parts[file, line]
        seen.add((file, line))
        inner, *outer = adapter.go("next")
        assert inner[0] == file
        assert inner[1] > line
        assert any(frame[0] == PROGRAM for frame in outer)
        if variable in adapter.variables():
            assert shown in adapter.variables()[variable]
    assert seen == set(parts)
    assert "the program goes on" in adapter.end()


def test_debugpy_that_stops_at_each_exception_stops_at_none_of_ours(tmp_path):
    """In code of one's own, which a checkout of unjit is for debuggers."""
    from dap import Adapter

    adapter = Adapter(PROGRAM, "eager", str(tmp_path), "inside", just_my_code=True, exceptions=["raised"])
    assert adapter.stopped()[0][2] == "main"  # at the breakpoint() of the program, after what was compiled
    assert "the program goes on" in adapter.end()


def test_what_a_debugger_that_comes_later_runs_at_a_stop_is_not_compiled(tmp_path):
    """Each stop is in the midst of compiled code, where Dynamo looks at what is called and has a tensor."""
    from dap import Editor, free_port

    port = free_port()
    command = [sys.executable, ATTACH_ME, str(port), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        file = tmp_path / "functions" / "attach_me" / "compile_0" / "transformed.py"
        configuration = {"request": "attach", "connect": {"port": port}, "justMyCode": False, "subProcess": False}
        editor = Editor.attaching(configuration, program, (str(file), 6))
        assert editor.stopped()[0][:2] == (str(file), 6)
        assert "tensor(False)" in editor.variables()["graph_out_0"]
        editor._ask("disconnect", terminateDebuggee=False)
        assert program.communicate(timeout=60)[0].startswith("[0.0, 0.5")
    assert {folder.name.partition("_resumes_at_")[0] for folder in tmp_path.glob("functions/*")} == {"attach_me"}
