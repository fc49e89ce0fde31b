"""`unjit run --out` of a program whose own process had Dynamo compile nothing: who compiled, and where that is."""

from __future__ import annotations

import json

import pytest

from commands import run
from toys import needs_compiler

CHILDREN = """
import multiprocessing

def work(size):
    import torch
    torch.compile(lambda x: x * 2, backend="eager")(torch.ones(size))

if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=work, args=(3,))
    child.start()
    child.join()
"""
ONLY_OTHERS = "unjit: only other processes of the program compiled: "


@pytest.mark.parametrize(
    ("first", "index"), [("import torch", "out/index.md"), ("", "out/processes/SpawnProcess_1/index.md")]
)
def test_where_the_captures_of_children_are_is_said(first, index, tmp_path):
    text = CHILDREN.replace("    child = ", f"    {first}\n    child = ")
    done = run(tmp_path, text, "--out", "out", "--json", "told.json")
    told, also = done.stderr.splitlines()
    assert told == f"{ONLY_OTHERS}{tmp_path / index}"
    assert also.startswith("unjit: everything as JSON: ")
    assert "SpawnProcess_1" in (tmp_path / index).read_text() + index
    assert json.loads((tmp_path / "told.json").read_text())["losses"] == [ONLY_OTHERS[len("unjit: ") : -len(": ")]]


@needs_compiler
def test_where_the_texts_of_what_compiled_without_dynamo_are_is_said(tmp_path):
    text = """
import torch, torch._inductor
torch._inductor.compile(torch.fx.symbolic_trace(torch.nn.ReLU()), [torch.ones(4)])
"""
    done = run(tmp_path, text, "--out", "out")
    assert done.stderr == f"unjit: Dynamo compiled nothing; what torch made without it: {tmp_path / 'out/index.md'}\n"


def test_where_nobody_compiled_nothing_is_said_of_others(tmp_path):
    done = run(tmp_path, CHILDREN.replace("    torch.compile", "    # torch.compile"), "--out", "out")
    assert done.stderr == "unjit: nothing to explain: the program did not import torch\n"
