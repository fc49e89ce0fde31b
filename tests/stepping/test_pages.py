"""Pages: valid Python, and every instruction on a line that a person expects."""

from __future__ import annotations

import ast
import dis
import types

import pytest

from traced import traced_by
from unjit.model import Message, Unknown
from unjit.pages import code_page, disassembly_page, graph_page


def chooses(items, limit=3):
    found = []
    for item in items:
        if item > limit:
            found.append(item * 2)
        else:
            found.insert(0, item)
    return found


def closes(x):
    def inner(y):
        return x + y

    return inner


BARE = """def forward(self, x):
    add = x + 1;  x = None
    return (add,)
"""
READABLE = """class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        # File: /home/me/train.py:7 in f, code: y = x + 1
        add: "f32[2]" = x + 1;  x = None
        return (add,)
"""


def forward_of(source):
    scope = {}
    exec(compile(source, "<graph>", "exec"), scope)
    return scope["forward"]


def lines_of_run(function, *arguments):
    seen = []

    def tracer(frame, event, _argument):
        if frame.f_code is not function.__code__:
            return None
        if event == "line":
            seen.append(frame.f_lineno)
        return tracer

    with traced_by(tracer):
        result = function(*arguments)
    return result, seen


@pytest.mark.smoke
@pytest.mark.parametrize("function", [chooses, closes, ast.literal_eval, dis.findlinestarts], ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [code_page, disassembly_page], ids=["source", "dis"])
def test_a_page_is_python_and_its_lines_lie_on_it(function, make):
    page = make(function.__code__, ["what it is"])
    ast.parse(page.text)
    text = page.text.splitlines()
    assert text[0] == "# what it is"
    assert text[page.first_line - 1].lstrip().startswith(("def ", "async def "))
    assert all(0 < line <= len(text) and not text[line - 1].lstrip().startswith("#") for line in page.lines.values())
    assert page.body_line > page.first_line


def test_source_is_stepped_statement_by_statement():
    page = code_page(chooses.__code__)
    function = types.FunctionType(page.on(chooses.__code__, "page.py"), {})
    function.__defaults__ = chooses.__defaults__
    result, seen = lines_of_run(function, [1, 5])
    assert result == chooses([1, 5])
    texts = [page.text.splitlines()[line - 1].split("  # ")[0].strip() for line in seen]
    assert texts[0] == "found = []"
    assert texts[-1] == "return found"
    assert "found.insert(0, item)" in texts
    assert "found.append(item * 2)" in texts
    assert f"# test_pages.py:{chooses.__code__.co_firstlineno + 4}" in page.text


def test_the_disassembly_is_stepped_instruction_by_instruction():
    page = disassembly_page(chooses.__code__, ["opaque: for a test"])
    function = types.FunctionType(page.on(chooses.__code__, "page.py"), {})
    function.__defaults__ = chooses.__defaults__
    result, seen = lines_of_run(function, [1, 5])
    assert result == chooses([1, 5])
    assert len(seen) > 20
    operations = [page.text.splitlines()[line - 1].split("(")[0].strip() for line in seen]
    assert {"FOR_ITER", "RETURN_VALUE"} <= set(operations)
    assert any(operation.startswith("LOAD_FAST") for operation in operations)
    assert "stack 1" in page.text
    assert f"test_pages.py:{chooses.__code__.co_firstlineno + 4}" in page.text


def test_a_fault_of_the_decompiler_costs_the_source_alone(monkeypatch):
    def fails(_code):
        raise RuntimeError("no luck")

    monkeypatch.setattr("unjit.observe.entries.profiler_scaffolding.decompile", fails)
    page = code_page(chooses.__code__)
    assert page.verdict == "opaque"
    assert "# opaque: the decompiler failed: RuntimeError: no luck" in page.text


def test_a_graph_is_shown_in_its_readable_form_with_the_users_lines():
    forward = forward_of(BARE)
    page = graph_page(forward.__code__, BARE, READABLE, (), ["a graph"])
    assert 'add: "f32[2]" = x + 1;  x = None  # train.py:7' in page.text
    forward.__code__ = page.on(forward.__code__, "page.py")
    result, seen = lines_of_run(forward, None, 2)
    assert result == (3,)
    assert [page.text.splitlines()[line - 1].split()[0] for line in seen] == ["add:", "return"]


@pytest.mark.parametrize(
    ("readable", "why"),
    [
        (READABLE.replace("x + 1;", "x + 2;"), "the statements of torch's readable text are others"),
        ("no Python", "torch's readable text of the graph is no Python"),
        (Unknown(Message("torch could not print it: KeyError")), "torch could not print it: KeyError"),
    ],
)
def test_a_graph_without_a_readable_form_is_shown_as_it_was_compiled(readable, why):
    page = graph_page(forward_of(BARE).__code__, BARE, readable, (), ["a graph"])
    assert f"# As it was compiled, because {why}" in page.text
    assert page.text.endswith(BARE)
    assert page.first_line == 3


def test_only_a_page_from_which_code_runs_says_so():
    said = "only its file name and line numbers are of this file"
    assert said in code_page(chooses.__code__, runs_from_here=True).text
    assert said not in code_page(chooses.__code__).text
