"""What a forward graph keeps for its backward, read from the texts of both.

A backward graph takes what the forward keeps and, after it, the gradients of its results (`tangents_1`). A view keeps
the memory of what it is a view of: that counts once, however many views of it are kept. The inputs of the forward are
there anyway: but where Inductor lays one out anew, as the weights of a convolution, it keeps the copy.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

from unjit.artifacts.graph_lines import lines_of_nodes
from unjit.model import KeptForBackward, KeptMemory, Maybe, Message, Name, Term, Unknown

_TAKES: Final = re.compile(r"def forward\(\s*self,?(?P<inputs>.*?)\)(?: -> [^\n]*)?:\n", re.DOTALL)
_INPUT: Final = re.compile(r'\b(?P<name>\w+): "(?P<kind>[^"]*)"')
_NODE: Final = re.compile(r'^ +(?P<name>\w+)(?:: "(?P<kind>[^"]*)")? = (?P<made>[^;\n]*)', re.MULTILINE)
_VIEW: Final = re.compile(  # aten's operations that always give views, of those that AOTAutograd leaves in its graphs
    r"torch\.ops\.aten\.(?:_conj|_neg_view|_reshape_alias|_unsafe_view|alias|as_strided|detach|diagonal|expand|imag|"
    r"lift_fresh|narrow|permute|real|select|slice|split|split_with_sizes|squeeze|t|transpose|unbind|unfold|unsqueeze|"
    r"view|view_as_complex|view_as_real)\.\w+\((?P<of>\w+)"
)
_ITEM: Final = re.compile(r"(?P<of>\w+)\[\d+\]$")
_TENSOR: Final = re.compile(r"[a-z]+(?P<bits>\d+)\w*\[(?P<shape>[^\]]*)\]")  # f32[4, 12]; a boolean is b8
_COMPUTED: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
_OPEN: Final = Unknown(Message("its size is open, and what it was in the call that was compiled is not known"))
_NO_LINE: Final = Unknown(Message("torch names no line of the program for it"))
_OTHER: Final = Unknown(Message("it is no tensor of a plain kind"))


def kept(half: str, forward: str, backward: str, sizes: Mapping[str, int]) -> KeptForBackward | None:
    """What the forward graph keeps, the largest first; None where the text of the backward cannot be read.

    `half` is the name of the backward graph, `sizes` what open sizes were in the call that was compiled.
    """
    takes = _TAKES.search(backward)
    if takes is None:
        return None
    graph = _Forward(forward)
    memory: dict[str, str] = {}
    inputs = 0
    for taken in _INPUT.finditer(takes["inputs"]):
        base = graph.base(taken["name"])
        if taken["name"].startswith("tangents_") or not _TENSOR.match(taken["kind"]):
            continue
        if base in graph.inputs:
            inputs += 1
        else:
            memory.setdefault(base, graph.kinds.get(base, taken["kind"]))
    places = dict(lines_of_nodes(forward))
    found = [
        KeptMemory(Name(name), _short(kind), _size(kind, sizes), places.get(Name(name), _NO_LINE))
        for name, kind in memory.items()
    ]
    found.sort(key=lambda one: (-1 if isinstance(one.size, Unknown) else -one.size, one.node))
    return KeptForBackward(Term(half), tuple(found), inputs)


class _Forward:
    """A forward graph: what each node is, and what it is made of."""

    def __init__(self, text: str) -> None:
        takes = _TAKES.search(text)
        self.inputs = {one["name"] for one in _INPUT.finditer(takes["inputs"])} if takes else set()
        nodes = list(_NODE.finditer(text))
        self.kinds = {node["name"]: node["kind"] for node in nodes if node["kind"]}
        self._made = {node["name"]: node["made"].strip() for node in nodes}

    def base(self, name: str) -> str:
        """The node whose memory a node's value lies in: itself, unless it is a view."""
        while (of := self._viewed(name)) is not None:
            name = of
        return name

    def _viewed(self, name: str) -> str | None:
        made = self._made.get(name, "")
        item = _ITEM.match(made)
        view = _VIEW.match(self._made.get(item["of"], "") if item else made)
        return None if view is None else view["of"]


def _short(kind: str) -> Term:
    """`f32[4, 12]` of torch's `f32[4, 12][12, 1]cpu`."""
    tensor = _TENSOR.match(kind)
    return Term(kind if tensor is None else tensor[0])


def _size(kind: str, sizes: Mapping[str, int]) -> Maybe[int]:
    """In bytes."""
    tensor = _TENSOR.match(kind)
    if tensor is None:
        return _OTHER
    total = max(int(tensor["bits"]) // 8, 1)  # of less than a byte torch puts two into one
    for size in filter(None, (one.strip() for one in tensor["shape"].split(","))):
        number = _number(size, sizes)
        if number is None:
            return _OPEN
        total *= number
    return total


def _number(size: str, sizes: Mapping[str, int]) -> int | None:
    """What an expression of open sizes was, as `s0*s1` or `(s0//2) + 1`; None where that cannot be told."""

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return sizes[name]
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _COMPUTED:
                return _COMPUTED[type(operation)](value(left), value(right))
        raise ValueError

    try:
        return value(ast.parse(size, mode="eval").body)
    except (SyntaxError, ValueError, KeyError, ArithmeticError, RecursionError):
        return None
