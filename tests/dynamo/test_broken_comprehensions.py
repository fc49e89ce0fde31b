"""Graph breaks in comprehensions, which Dynamo takes out of the code around them from Python 3.12 on."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
import torch

import unjit
from needs import since
from unjit.compat.depyf.full_code import full_code
from unjit.findings import concerns

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    pytest.mark.skipif(
        sys.version_info < (3, 12) or not since("2.13"), reason="refused: comprehensions are functions, or end all"
    ),
]
X = torch.ones(3)


def ident(x):
    torch._dynamo.graph_break()
    return x


def listed(x, n):
    x = (x * 2).sin()
    found = [ident(one) * n for one in (x, x + 1)]
    return x.cos(), found


def keyed(x, n):
    x = (x * 2).sin()
    found = {key: ident(x) for key in "ab"}
    scale = lambda: n  # noqa: E731  # makes n a cell
    return x.cos(), found, scale()


@pytest.fixture(params=[listed, keyed])
def function(request):
    return request.param


def test_the_rest_after_one_is_not_said_to_be_left_out(function, tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        torch.compile(function, backend="eager")(X, 2)
    (broke,) = session.compiles[0].compile.breaks
    assert broke.place.function == "ident"
    assert not broke.skips_rest
    said = f"{'Dynamo'} cannot go on after it"  # written so, as the page shows this file
    assert not any(said in str(one.advice) for one in concerns(session.data))
    for file in ("index.md", "report.html"):
        assert said not in (tmp_path / "out" / file).read_text()
    assert "runs as written, as __comprehension_" in (tmp_path / "out" / "report.html").read_text()


def test_what_dynamo_made_of_it_is_told(function):
    torch.compile(function, backend="eager")(X, 2)
    explained = unjit.explain(function)
    (entry,) = explained.functions[0].data.entries
    (taken_out,) = entry.comprehensions
    assert taken_out.name in entry.code.source
    assert "found = " in taken_out.place.code
    assert f"{taken_out.name}: " in str(explained)
    assert "It runs 1 comprehension as written, with a graph break within" in str(explained)
    assert "torch does not keep which it was" in str(explained)


def test_the_text_in_the_manner_of_depyf_defines_it(function):
    torch.compile(function, backend="eager")(X, 2)
    report = unjit.explain(function).report
    statements = ast.parse(full_code(report, report.functions[0])).body
    defined = {one.name for one in statements if isinstance(one, ast.FunctionDef)}
    assert report.functions[0].entries[0].comprehensions[0].name in defined


def test_a_log_does_not_say_that_the_rest_is_left_out(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\n"
        "def ident(x):\n"
        "    torch._dynamo.graph_break()\n"
        "    return x\n"
        "@torch.compile(backend='eager')\n"
        "def listed(x):\n"
        "    x = (x * 2).sin()\n"
        "    found = [ident(one) for one in (x, x + 1)]\n"
        "    return x.cos(), found\n"
        "@torch.compile(backend='eager')\n"
        "def tried(x):\n"
        "    x = (x * 2).sin()\n"
        "    try:\n"
        "        torch._dynamo.graph_break()\n"
        "    finally:\n"
        "        x = x + 1\n"
        "    return x.cos()\n"
        "listed(torch.ones(3)), tried(torch.ones(3))\n"
    )
    subprocess.run(
        [sys.executable, program], env={"TORCH_TRACE": str(tmp_path / "trace"), "PATH": ""}, check=True, timeout=300
    )
    read = unjit.ingest(tmp_path / "trace", tmp_path / "read")
    broke = {one.function: [found.skips_rest for found in one.compile.breaks] for one in read.data.compiles}
    assert broke["listed"] == [False]
    assert broke["tried"] == [True]
