"""`unjit show`: what a capture holds, as text and as JSON, chosen by paths; what it answers where nothing is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

import unjit
from unjit.cli import main
from unjit.contents import of_report, select
from unjit.model import SCHEMA_VERSION, Unknown


@pytest.fixture
def show(awkward, capsys):
    """The answer to `unjit show` on the awkward capture: status, stdout, stderr."""

    def ask(*arguments):
        status = main(["show", str(awkward.directory), *arguments])
        return (status, *capsys.readouterr())

    return ask


def test_the_overview_names_all_that_can_be_selected(show, awkward):
    status, text, errors = show()
    assert (status, errors) == (0, "")
    assert "unjit: Dynamo saw 8 functions" in text
    inside = text.split("Inside, for --select:\n")[1]
    keys = [function.key for function in awkward.functions]
    assert [line.split()[0] for line in inside.splitlines()] == [*keys, "call_tree"]


def test_each_node_can_be_shown_and_selected_by_its_path(awkward):
    top = awkward.contents()
    nodes = list(top.walk())
    assert len({node.path for node in nodes}) == len(nodes)
    for node in nodes:
        assert [found.path for found in select(top, node.path)] == [node.path]
        assert node.text()
        assert node.title.count("\n") == 0
        json.dumps(node.data)


def test_code_guards_breaks_graphs_of_a_compile(show):
    assert "def branches(a):\n    a = a + 1" in show("--select", "branches/compile_0/source")[1]
    assert "# equivalent: " in show("--select", "branches/compile_0/transformed")[1]
    assert "RESUME" in show("--select", "branches/compile_0/bytecode")[1]
    assert "It runs only if " in show("--select", "branches/compile_0/guards")[1]
    assert "Data-dependent branching" in show("--select", "branches/compile_0/graph_break_0")[1]
    assert "size mismatch" in show("--select", "branches/compile_1/why_again")[1]
    assert "l_a_ + 1" in show("--select", "branches/compile_0/captured")[1]


def test_a_function_by_itself_has_nothing_below(show):
    text = show("--select", "branches/compile_0")[1]
    assert ": see branches_resumes_at_" in text
    assert " below." not in text
    assert "Tensors that Dynamo met in it\n    L['a']: float32" in text


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ('{"schema": 999}', "is of schema 999, and this unjit reads schema"),
        ('{"schema": 1}', "make the capture once more, or read it with the unjit that wrote it"),
        ("[]", "is not of a capture: it names no schema"),
    ],
)
def test_a_capture_of_another_schema_is_refused_with_what_to_do(index, said, tmp_path, capsys):
    (tmp_path / "index.json").write_text(index)
    assert main(["show", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_paths_of_files_ends_of_paths_and_patterns(show):
    captured = show("--select", "branches/compile_0/captured")
    assert show("--select", "functions/branches/compile_0/captured.py") == captured
    assert show("--select", "/branches/compile_0")[1].startswith("== branches/compile_0: ")
    many = show("--select", "*/compile_*/captured")[1]
    assert many.count("class GraphModule") == many.count("== ") > 5
    assert show("--select", "compile_2/recompile")[1].startswith("== constants/compile_2/recompile: ")


def test_nothing_there(show, tmp_path, capsys):
    status, text, errors = show("--select", "branches/compile_7")
    assert (status, text) == (1, "")
    assert "nothing in it is called 'branches/compile_7'; in branches there is: compile_0, " in errors
    errors = show("--select", "twigs/compile_7")[2]
    assert "nothing in it is called 'twigs/compile_7'; at the top there is: loops, " in errors
    assert main(["show", str(tmp_path)]) == 2
    assert "holds no capture" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "nowhere")]) == 2
    assert f"there is no directory {tmp_path / 'nowhere'}: give one" in capsys.readouterr().err


def test_json_has_the_data_of_what_is_selected(show, awkward, tmp_path):
    found = json.loads(show("--json", "--select", "branches/compile_0")[1])
    (one,) = found["selected"]
    assert (found["schema"], one["path"], one["kind"]) == (SCHEMA_VERSION, "branches/compile_0", "compile")
    assert one["data"]["compile"]["breaks"][0]["reason"] == "Data-dependent branching"
    status, text, _ = show("--json", str(tmp_path / "all.json"))
    assert (status, text) == (0, "")
    (everything,) = json.loads((tmp_path / "all.json").read_text())["selected"]
    assert len(everything["data"]["compiles"]) == len(awkward.compiles)
    assert show("--json", str(tmp_path / "no" / "all.json"))[0] == 2
    missing = json.loads(show("--json", "--select", "loops/compile_0/source")[1])
    assert "def loops" in missing["selected"][0]["data"]


def test_a_reader_that_has_seen_enough(awkward):
    command = f"{sys.executable} -m unjit show {awkward.directory} --json | head -c 100"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, check=True)
    assert (len(done.stdout), done.stderr) == (100, "")


def test_what_is_alive_has_the_same_tree():
    def double(x):
        return x * 2

    torch.compile(double, backend="eager")(torch.ones(2))
    top = of_report(unjit.explain(double).report, lambda _: Unknown("not asked"))
    paths = [node.path for node in top.walk()]
    assert paths[:2] == ["", "double"]
    (graph,) = [node for node in top.walk() if node.kind == "graph"]
    assert "l_x_ * 2" in graph.text()
    assert select(top, "double/entry_0/source")[0].text() == "unknown (not asked)"
    assert " = __compiled_fn_" in select(top, "transformed")[0].text()
