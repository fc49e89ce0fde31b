"""A capture with one graph as large as is wanted, printed as torch prints graphs."""

from __future__ import annotations

from unjit.model import (
    Artifact,
    Capture,
    CapturedCompile,
    Compile,
    CompileId,
    Expression,
    FilePath,
    Function,
    Generated,
    Message,
    ModuleCall,
    Name,
    Place,
    Report,
    Status,
    Term,
    Unknown,
)

OPERATIONS = ("addmm", "view", "relu", "mul", "add")
_UNKNOWN = Unknown(Message("it was never compiled"))
_HEAD = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[64, 256][256, 1]cuda:0"):
"""


def big_capture(count: int, *, per_block: int = 0) -> Capture:
    """A capture with a graph of `count` operations, in modules of `per_block` each, or without modules."""
    names = [f"{OPERATIONS[at % 5]}_{at}" for at in range(count)]
    text, modules = _text(names), _modules(names, per_block)
    path = "functions/forward/compile_0"
    artifact = Artifact(
        Term("forward"),
        Term(".py"),
        Term("aot_forward_graph"),
        0,
        Term(f"{path}/forward.py"),
        Generated(text),
        modules,
        (),
        (),
    )
    compiled = Compile(CompileId(0, 0), "compiled", (), (), None, (), 1.0, Term("inductor"))
    made = CapturedCompile(Name("forward"), 0, Term(path), _UNKNOWN, _UNKNOWN, compiled, (artifact,), *[()] * 6)
    place = Place(FilePath("/home/ada/net.py"), 1, Name("forward"), _UNKNOWN)
    function = Function(
        Name("forward"), Name("Net.forward"), place, Status("compiled", None, None), None, (), (compiled,)
    )
    report = Report("events", Term("2.13.0"), Term("3.11.7"), (function.key,), (function,), ())
    return Capture(True, report, (made,), (), None, ())


def _text(names):
    """A long chain in which each operation also reads one that is some way back."""
    lines = []
    for at, name in enumerate(names):
        if at % 10 == 0:
            lines.append(
                f"        # File: /home/ada/net.py:{at // 10 + 1} in forward, code: x = self.block_{at // 10}(x)"
            )
        before = names[at - 1] if at else "primals_1"
        other = names[max(0, at - 7)] if at else "primals_1"
        target = f"torch.ops.aten.{OPERATIONS[at % 5]}.default"
        lines.append(f'        {name}: "f32[64, 256][256, 1]cuda:0" = {target}({before}, {other});  {other} = None')
    return _HEAD + "\n".join([*lines, f"        return ({names[-1]},)", ""])


def _modules(names, per_block):
    if not per_block:
        return Unknown(Message("a log does not tell it"))
    blocks = [names[at : at + per_block] for at in range(0, len(names), per_block)]
    calls = [ModuleCall(Expression("L['self'].layers"), Name("ModuleList"), None, ())]
    for number, block in enumerate(blocks):
        path = f"L['self'].layers.{number}"
        outer = len(calls)
        calls.append(ModuleCall(Expression(path), Name("Block"), 0, tuple(map(Name, block[::5]))))
        inner = tuple(Name(name) for at, name in enumerate(block) if at % 5)
        calls.append(ModuleCall(Expression(f"{path}.mlp"), Name("Mlp"), outer, inner))
    return tuple(calls)
