"""Generated code without comments, texts and constants. What cannot be read is left out as a whole."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import Final

from unjit.redaction.expressions import is_builtin
from unjit.redaction.words import ANNOTATION, DEVICE, MARK, SMALL

Rename = Callable[[str], str]
_DROPPED: Final = {tokenize.COMMENT}
_C_TOKENS: Final = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>R\"\(.*?\)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<include>\#include[ \t]*(?:<torch/[\w./]+>)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<other>.)",
    re.DOTALL,
)
_OUR_KERNELS: Final = re.compile(r"(?:cpp|triton)_(?:[a-z]+_)?fused\w*")  # others may be the user's own source
_SMALL_C: Final = re.compile(r"\d(?:\.0*)?[fLlUu]*")


def redacted_python(text: str, rename: Rename) -> str | None:
    """Python that torch generated, with `...` for numbers and texts; None if it is not Python, or has unbound names."""
    try:
        found = "".join(_python(text, rename))
        tree = ast.parse(found)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return None
    return f"{found.rstrip()}\n" if _all_bound(tree) else None


def _python(text: str, rename: Rename) -> Iterator[str]:
    """The text with its tokens replaced, and all between them as it is."""
    lines = text.splitlines(keepends=True)
    at = (1, 0)
    depth = 0  # within f-strings, which are tokens of their own since 3.12
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):
            yield from _between(lines, at, token.start) if not depth else ()
            depth += 1
        elif kind.endswith("STRING_END"):
            depth -= 1
            yield "..." if not depth else ""
        elif not depth:
            yield from _between(lines, at, token.start)
            yield _replaced(token, rename)
        at = token.end


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> Iterator[str]:
    """White space and continuations between two tokens."""
    if start[0] == end[0]:
        yield lines[start[0] - 1][start[1] : end[1]] if start[0] <= len(lines) else ""
        return
    yield lines[start[0] - 1][start[1] :]
    yield from lines[start[0] : end[0] - 1]
    yield lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""


def _replaced(token: tokenize.TokenInfo, rename: Rename) -> str:
    if token.type in _DROPPED:
        return ""
    if token.type == tokenize.NUMBER:
        return token.string if SMALL.fullmatch(token.string) else "..."
    if token.type == tokenize.STRING:
        return token.string if _is_clean(token.string) else "..."
    return rename(token.string) if token.type == tokenize.NAME else token.string


def _is_clean(literal: str) -> bool:
    value = ast.literal_eval(literal)
    return isinstance(value, str) and bool(value == "" or ANNOTATION.fullmatch(value) or DEVICE.fullmatch(value))


def _all_bound(tree: ast.Module) -> bool:
    """Whether each name is bound in the text itself, or Python's: the repr of an object could stand for a name too."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return all(name in bound or is_builtin(name) for name in used)


def redacted_graph(text: str, rename: Rename) -> str | None:
    """A graph: as `redacted_python`, also where it has no imports of its own."""
    if "\nimport torch\n" in f"\n{text}":
        return redacted_python(text, rename)
    found = redacted_python(f"import torch\nfrom torch import device\nfrom math import inf, nan\n{text}", rename)
    return None if found is None else found.split("\n", 3)[3]


def redacted_kernel(name: str, language: str, source: str) -> str | None:
    """A kernel that Inductor wrote; None for one that may be the user's own."""
    if not _OUR_KERNELS.fullmatch(name):
        return None
    if language == "C++":
        return "".join(map(_c_token, _C_TOKENS.finditer(source)))
    return "".join(map(_triton_token, _TRITON_TOKENS.finditer(source))) if language == "Triton" else None


def _c_token(match: re.Match[str]) -> str:
    kind, said = match.lastgroup, match[0]
    if kind == "comment":
        return ""
    if kind == "text":
        return said if said == '"C"' else f'"{MARK}"'
    if kind == "number":
        return said if _SMALL_C.fullmatch(said) else "…"
    return said


_TRITON_TOKENS: Final = re.compile(
    r"(?P<comment>\#[^\n]*)|(?P<text>\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eE][+-]|[\w.])*)|(?P<other>.)",
    re.DOTALL,
)


def _triton_token(match: re.Match[str]) -> str:
    return "…" if match.lastgroup == "text" else _c_token(match)
