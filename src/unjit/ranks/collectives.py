"""The collectives in the text of a graph, in the order in which the graph issues them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from unjit.model import Collective, Expression, FilePath, Maybe, Message, Name, Place, Term, Unknown, UserSource
from unjit.model.captured.ranks import NAMESPACES

_LOCAL: Final = {"wait_tensor", "_wrap_tensor_autograd"}  # they wait, and send nothing
_UNEVEN: Final = {"all_to_all_single"}  # each rank may give another size
_COMMENT: Final = re.compile(r"# (?:.* )?File: (?P<file>.+?):(?P<line>\d+) in (?P<function>\S+?), code: (?P<code>.*)")
_TORCH: Final = ("<site-packages>/torch/", "/site-packages/torch/")
_SHAPE: Final = re.compile(r"^(?P<dtype>\w+)(?P<shape>\[[^\]]*\])")
_NO_SHAPE: Final = Unknown(Message("the graph does not tell the shape"))


@dataclass(frozen=True)
class Call:
    """A collective as its graph has it."""

    op: str
    detail: str
    tensor: Maybe[Expression]
    group: str
    place: Maybe[Place]
    line: int

    @property
    def must_agree(self) -> tuple[str, str, str | None]:
        """What has to be the same on all ranks of the group: not a size that is open or may be uneven."""
        if isinstance(self.tensor, Unknown) or self.op in _UNEVEN or re.search(r"\bs\d+|\bu\d+", self.tensor):
            return self.op, self.detail if self.op not in _UNEVEN else "", None
        return self.op, self.detail, str(self.tensor)

    def told(self, path: str, ranks: Maybe[tuple[int, ...]]) -> Collective:
        """The collective as data."""
        return Collective(
            Term(self.op), Term(self.detail), self.tensor, Term(self.group), ranks, self.place, Term(path), self.line
        )


def calls(text: str, callers: Mapping[str, tuple[Place, ...]]) -> tuple[Call, ...]:
    """The collectives of a graph. A text that is no Python has none. `callers` are of lines of torch's: `file:line`."""
    if not any(f"{name}." in text for name in NAMESPACES):
        return ()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    shapes = _shapes(tree)
    lines = text.splitlines()
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    ordered = sorted(found, key=lambda node: (node.lineno, node.col_offset))
    return tuple(call for node in ordered if (call := _call(node, shapes, lines, callers)) is not None)


def _shapes(tree: ast.Module) -> dict[str, str]:
    """What each value of the graph is, as its annotation says; another name for a value is that value."""
    found = {node.arg: _noted(node.annotation) for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = _noted(node.annotation)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            known = found.get(node.value.id, "")
            found.update({target.id: known for target in node.targets if isinstance(target, ast.Name)})
    return found


def _noted(annotation: ast.expr | None) -> str:
    return str(annotation.value) if isinstance(annotation, ast.Constant) else ""


def _call(
    node: ast.Call, shapes: Mapping[str, str], lines: list[str], callers: Mapping[str, tuple[Place, ...]]
) -> Call | None:
    path = ast.unparse(node.func).split(".")
    space = next((at for at, part in enumerate(path) if part in NAMESPACES), None)
    if space is None or path[:2] != ["torch", "ops"] or space + 1 >= len(path):
        return None
    op = path[space + 1].rstrip("_").removesuffix("_out")
    if op in _LOCAL:
        return None
    arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "out")]
    group = next((one for one in reversed(arguments) if _is_text(one)), None)
    details = [one for one in arguments[1:] if not isinstance(one, ast.Name) and one is not group]
    return Call(
        op,
        ", ".join(map(ast.unparse, details)),
        _tensor(arguments[0], shapes) if arguments else _NO_SHAPE,
        "" if group is None else str(ast.literal_eval(group)),
        _place(lines, node.lineno, callers),
        node.lineno,
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _tensor(given: ast.expr, shapes: Mapping[str, str]) -> Maybe[Expression]:
    """dtype and shape of each tensor that the collective is given."""
    names = [node.id for node in ast.walk(given) if isinstance(node, ast.Name)]
    known = [match for match in (_SHAPE.match(shapes.get(name, "")) for name in names) if match]
    if not names or len(known) < len(names):
        return _NO_SHAPE
    return Expression(", ".join(f"{match['dtype']}{match['shape']}" for match in known))


def _place(lines: list[str], line: int, callers: Mapping[str, tuple[Place, ...]]) -> Maybe[Place]:
    """The user's line: the graph has the innermost one, which is torch's own where a function of torch's was called."""
    above = (match for text in reversed(lines[: line - 1]) if (match := _COMMENT.search(text)))
    nearest = next(above, None)
    if nearest is None:
        return Unknown(Message("the graph does not say which line it is of"))
    if not any(part in nearest["file"] for part in _TORCH):
        return _as_place(nearest)
    led_there = callers.get(f"{nearest['file']}:{nearest['line']}", ())
    if len(led_there) == 1:
        return led_there[0]
    before = next((match for match in above if not any(part in match["file"] for part in _TORCH)), None)
    after = f"; it comes after {before['file']}:{before['line']}, {before['code']}" if before else ""
    own = f"{nearest['file']}:{nearest['line']} in {nearest['function']}"
    return Unknown(Message(f"the graph names a line of torch's, {own}{after}"))


def _as_place(match: re.Match[str]) -> Place:
    return Place(
        FilePath(match["file"]), int(match["line"]), Name(match["function"]), UserSource(match["code"].strip())
    )
