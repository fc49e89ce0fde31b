"""The page of a graph: torch's readable form, with shapes and the user's lines, under the code that runs.

torch writes a graph twice: bare, which is compiled, and readable, which is printed. Both have the same statements in
the same order, so that the k-th statement of one tells the line of the k-th of the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from types import CodeType

from unjit.artifacts.graph_lines import ends_a_line, place_in
from unjit.model import Maybe, Unknown
from unjit.pages.page import Page, below, with_remarks


def parsed(readable: Maybe[str]) -> tuple[str, ast.ClassDef]:
    """torch's readable text of a graph as Python, and its class; ValueError if it is none, or there is none."""
    if isinstance(readable, Unknown):
        raise ValueError(readable.reason)  # noqa: TRY004 (it is the text that is missing)
    text = readable.strip("\n").replace("class <lambda>(", "class GraphModule(")
    try:
        node = ast.parse(text).body[0]
    except (SyntaxError, IndexError) as error:
        raise ValueError(f"torch's readable text of the graph is no Python: {error}") from None
    if not isinstance(node, ast.ClassDef):
        raise ValueError("torch's readable text of the graph is no class")  # noqa: TRY004 (it is the text that is bad)
    return text, node


def graph_page(code: CodeType, bare: str, readable: Maybe[str], inside: Sequence[str], title: Sequence[str]) -> Page:
    """The page of a graph's forward.

    `code` is what runs, `bare` the text it was compiled from, `readable` torch's readable text of the whole graph, and
    `inside` the names of the subgraphs that lead to the one whose forward this is. Where the texts do not correspond,
    the page shows the bare one and says so.
    """
    forward = _forward(ast.parse(bare).body)
    assert forward is not None
    try:
        text, top = parsed(readable)
        moved = _corresponding(forward, _subgraph(top, inside))
        text = with_remarks(text, dict(_user_lines(text, top)))
        return _page(code, forward, moved, text, title)
    except ValueError as error:
        problem = str(error)
    same = {line: line for line in range(1, bare.count("\n") + 2)}
    page = _page(code, forward, same, bare, [*title, f"As it was compiled, because {problem}."])
    return replace(page, shows_all=not inside)


def _page(code: CodeType, forward: ast.FunctionDef, moved: dict[int, int], text: str, title: Sequence[str]) -> Page:
    shift = code.co_firstlineno - forward.lineno  # torch may have numbered the lines as those of another file
    lines: dict[int, int] = {}
    for start, _, line in code.co_lines():
        if line is not None and line - shift in moved:
            lines[start] = moved[line - shift]
    return below(title, text, lines, moved[forward.lineno], "as run")


def _subgraph(top: ast.ClassDef, inside: Sequence[str]) -> ast.FunctionDef:
    node = top
    for name in inside:
        found = (part for part in node.body if isinstance(part, ast.ClassDef) and part.name == name)
        inner = next(found, None)
        if inner is None:
            raise ValueError(f"torch's readable text does not show the subgraph {name}")
        node = inner
    forward = _forward(node.body)
    if forward is None:
        raise ValueError("torch's readable text has no forward")
    return forward


def _forward(body: Sequence[ast.stmt]) -> ast.FunctionDef | None:
    return next((node for node in body if isinstance(node, ast.FunctionDef) and node.name == "forward"), None)


def _corresponding(bare: ast.FunctionDef, readable: ast.FunctionDef) -> dict[int, int]:
    """From lines of one text to lines of the other; ValueError if they are not the same statements."""
    if [_gist(node) for node in bare.body] != [_gist(node) for node in readable.body]:
        raise ValueError("the statements of torch's readable text are others")
    moved = {bare.lineno: readable.lineno}
    for old, new in zip(bare.body, readable.body, strict=True):
        for line in range(old.lineno, (old.end_lineno or old.lineno) + 1):
            moved.setdefault(line, new.lineno)
    return moved


def _gist(node: ast.stmt) -> str:
    """A statement without the annotation of what it sets."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return f"{ast.unparse(node.target)} = {ast.unparse(node.value)}"
    return ast.unparse(node)


def _user_lines(text: str, top: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """For each line of a statement the user's line, which torch names in a comment above the first of several."""
    statements = {
        node.lineno
        for function in ast.walk(top)
        if isinstance(function, ast.FunctionDef)
        for node in function.body
        if not isinstance(node, ast.Return)
    }
    user_line: str | None = None
    for number, row in enumerate(text.splitlines(), 1):
        if place := place_in(row):
            user_line = f"{PurePath(place.file).name}:{place.line}"
        elif ends_a_line(row):
            user_line = None
        elif number in statements and user_line is not None:
            yield number, user_line
