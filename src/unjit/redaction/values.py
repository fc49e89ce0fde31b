"""The model, redacted: one pass over it by the types of its strings.

A string that is left out is Unknown where the model has room for that, and else a mark. A few classes have a rule of
their own, because what they hold is known more closely than by its type.
"""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, Final, TypeVar

from unjit.model import (
    IN_FILE,
    LEFT_OUT_BY_REDACTION,
    CallLine,
    Capture,
    CapturedCompile,
    Code,
    CompileRun,
    CudaGraphSkip,
    Decomposition,
    Entry,
    Expression,
    FailedGuard,
    FilePath,
    Generated,
    Graph,
    GraphBreak,
    GraphInput,
    Guard,
    KeptMemory,
    Kernel,
    Message,
    ModuleCall,
    Name,
    ProcessGroup,
    Report,
    Run,
    Size,
    StackValue,
    Symbol,
    Term,
    Text,
    Unknown,
)
from unjit.model.plain.serialise import field_types
from unjit.redaction.code import redacted_graph, redacted_kernel
from unjit.redaction.expressions import is_clean_source, mangled, redacted_condition, redacted_expression
from unjit.redaction.words import (
    ANNOTATION,
    BREAK_LINK,
    GROUP_OF_TORCH,
    MARK,
    NAME,
    SIZE,
    SMALL,
    SYMBOL,
    TENSOR_EXPECTED,
    TENSOR_GUARD,
    TERM,
    TORCH_FILE,
)

T = TypeVar("T")
LEFT_OUT: Final = Unknown(LEFT_OUT_BY_REDACTION)
_KEPT_REASONS: Final = {IN_FILE.reason, "run.json has it", LEFT_OUT_BY_REDACTION}
_MOMENT: Final = re.compile(r"(?:start|end)_time(?:_us)?")  # as torch's metrics call them
_INPUT: Final = re.compile(r"[lLgG]_\w+")  # names that Dynamo makes of expressions


class Redactor:
    """Redacts the values of one capture: the same file has the same alias in all of them."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._inputs: dict[str, str] = {}
        self._clean: set[str] = set()  # names of graph inputs that come from expressions without constants
        self._sources: set[str] = set()  # the user's own expressions, which reasons of recompiles may quote

    def learn(self, expressions: Iterable[object]) -> None:
        """Expressions over the user's values, after which Dynamo may have named inputs of graphs."""
        self._clean.update(mangled(text) for text in expressions if isinstance(text, str) and is_clean_source(text))

    def redacted(self, value: T) -> T:
        """A value of the model without what must not leave the machine."""
        report = value.report if isinstance(value, Capture) else value
        if isinstance(report, Report):
            self._sources.update(_sources_on_the_stack(report))
        return typing.cast("T", self._value(value, type(value)))

    def node(self, name: Name) -> Name:
        """The name of a node of a graph."""
        return Name(self.name(name) if NAME.fullmatch(name) else MARK)

    def name(self, name: str) -> str:
        """A name in a graph, or an alias if Dynamo made it of an expression that may have constants in it."""
        if not _INPUT.fullmatch(name) or mangled(name) in self._clean:
            return name
        alias = self._inputs.setdefault(mangled(name), f"_input_{len(self._inputs)}_")
        return name[0] + alias

    def without_sources(self, text: str) -> str:
        """A reason of a recompile with `...` for each expression of the user's that it quotes."""
        for source in sorted(self._sources, key=len, reverse=True):
            text = text.replace(source, "...")
        return text

    def _value(self, value: Any, hint: Any) -> Any:
        if isinstance(value, Unknown):
            return value if value.reason in _KEPT_REASONS else LEFT_OUT
        if isinstance(value, Text):
            found = self._text(value)
            return _absent(value, hint) if found is None else type(value)(found)
        if isinstance(value, tuple):
            inner = _item_hint(hint)
            return tuple(self._value(item, inner) for item in value)
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        own = _RULES.get(type(value), _no_rule)(self, value)
        fields = field_types(type(value))
        return type(value)(
            **{
                name: own[name] if name in own else self._value(getattr(value, name), kind)
                for name, kind in fields.items()
            }
        )

    def _text(self, text: Text) -> str | None:
        """A string by its type; None if it is left out."""
        match text:
            case Size():
                return text if SIZE.fullmatch(text) else None
            case Name():
                return text if NAME.fullmatch(text) else None
            case Term():
                return text if TERM.fullmatch(text) else None
            case FilePath():
                return self._file(text)
            case Expression():
                return text if ANNOTATION.fullmatch(text) else redacted_expression(text)
        return None  # UserSource, Host, Constant, Generated, Message

    def _file(self, path: str) -> str:
        known = TORCH_FILE.fullmatch(path)
        if known:
            return f"<site-packages>/{known[1]}"
        suffix = PurePath(path).suffix if PurePath(path).suffix in (".py", ".ipynb", ".pyx") else ""
        return self._files.setdefault(path, f"<redacted>/file_{len(self._files)}{suffix}")


def _absent(value: Text, hint: Any) -> Any:
    """What stands for a string that is left out: None would say that there was none."""
    return LEFT_OUT if Unknown in typing.get_args(hint) else type(value)(MARK)


def _item_hint(hint: Any) -> Any:
    """The type of the items of a tuple, also where that is one member of a union."""
    for member in (hint, *typing.get_args(hint)):
        if typing.get_origin(member) is tuple:
            return typing.get_args(member)[0]
    return object


Fields = dict[str, Any]
_SKIP_KINDS: Final = re.compile(r"cpu device|mutated inputs|multiple devices|incompatible op|input storage mutation")


def _no_rule(_redactor: Redactor, _value: Any) -> Fields:
    return {}


def _nodes(redactor: Redactor, value: ModuleCall | CallLine | Decomposition) -> Fields:
    return {"nodes": tuple(map(redactor.node, value.nodes))}


def _break(_redactor: Redactor, found: GraphBreak) -> Fields:
    """torch gives a link only for the reasons in its published table, which quote nobody."""
    if found.link is None or not BREAK_LINK.fullmatch(found.link):
        return {}
    return {"reason": found.reason, "link": found.link}


def _failed(redactor: Redactor, found: FailedGuard) -> Fields:
    return {"condition": Generated(redacted_condition(redactor.without_sources(found.condition)) or MARK)}


def _skip(_redactor: Redactor, skip: CudaGraphSkip) -> Fields:
    """The kind of a reason stays, which is in torch's words; what follows it may name parts of the program."""
    kind = _SKIP_KINDS.match(skip.reason)
    return {"reason": Message(kind[0])} if kind else {}


def _guard(_redactor: Redactor, guard: Guard) -> Fields:
    """Of what is asked of a tensor all is known; of other guards, what they look at and how."""
    subject = "several values" if isinstance(guard.subject, Unknown) else redacted_expression(guard.subject)
    told: Fields = {
        "condition": Generated(f"{subject or MARK}: {guard.kind}"),
        "parts": (),
        "note": None if guard.note is None else Message(MARK),
        "check": LEFT_OUT,
    }
    tensor = TENSOR_GUARD.fullmatch(guard.condition)
    if tensor:
        told["condition"] = Generated(f"{redacted_expression(tensor['what']) or MARK}: {tensor['rest']}")
    elif guard.topic == "shapes":
        told["condition"] = Generated(redacted_expression(guard.condition) or MARK)
    if isinstance(guard.expected, str) and TENSOR_EXPECTED.fullmatch(guard.expected):
        told["expected"] = guard.expected
    return told


def _code(_redactor: Redactor, _code: Code) -> Fields:
    """Generated code is the user's own wherever that is not compiled: the source is left out, and so is the proof."""
    nothing = Generated(f"# {LEFT_OUT_BY_REDACTION}\n")
    return {
        "source": nothing,
        "verdict": "opaque",
        "reason": LEFT_OUT_BY_REDACTION,
        "disassembly": nothing,
        "left_out": 0,
    }


def _graph(redactor: Redactor, graph: Graph) -> Fields:
    found = None if isinstance(graph.source, Unknown) else redacted_graph(graph.source, redactor.name)
    return {"source": LEFT_OUT if found is None else Generated(found.rstrip("\n"))}


def _input(redactor: Redactor, given: GraphInput) -> Fields:
    """What torch tells of a value that is no tensor is its repr."""
    value = given.value
    clean = isinstance(value, str) and (ANNOTATION.fullmatch(value) or SYMBOL.fullmatch(value))
    return {"name": redactor.node(given.name), "value": value if clean else LEFT_OUT}


def _symbol(_redactor: Redactor, symbol: Symbol) -> Fields:
    value = symbol.example
    return {"example": value if isinstance(value, str) and SMALL.fullmatch(value) else LEFT_OUT}


def _stack_value(_redactor: Redactor, _value: StackValue) -> Fields:
    """It is the user's source."""
    return {"expression": LEFT_OUT}


def _kernel(redactor: Redactor, kernel: Kernel) -> Fields:
    source, nodes = kernel.source, {"operations": kernel.operations, "captured": kernel.captured}
    found = None if isinstance(source, Unknown) else redacted_kernel(kernel.name, kernel.language, source)
    known = {name: tuple(map(redactor.node, of)) for name, of in nodes.items() if not isinstance(of, Unknown)}
    return {"source": LEFT_OUT if found is None else Generated(found), **known}


def _kept(redactor: Redactor, kept: KeptMemory) -> Fields:
    return {"node": redactor.node(kept.node)}


def _run(_redactor: Redactor, _run: Run) -> Fields:
    left_out = ("process", "command", "folder", "began", "environment")
    return {**dict.fromkeys(left_out, LEFT_OUT), "folders": ()}


def _compile_run(_redactor: Redactor, run: CompileRun) -> Fields:
    return {"metrics": Generated(_numbers(run.metrics))}


def _numbers(metrics: str) -> str:
    """torch's metrics: numbers and flags stay, which are durations, counts and torch's settings."""
    try:
        halves = json.loads(metrics)
        kept = {
            half: {
                name: value
                for name, value in found.items()
                if isinstance(value, (bool, int, float, type(None))) and not _MOMENT.fullmatch(name)
            }
            for half, found in halves.items()
        }
    except (ValueError, AttributeError):
        return "{}"
    return json.dumps(kept, sort_keys=True)


def _group(_redactor: Redactor, group: ProcessGroup) -> Fields:
    """What a group is for is told in the program's words, or in torch's."""
    return {"description": group.description} if GROUP_OF_TORCH.fullmatch(group.description) else {}


def _capture(_redactor: Redactor, capture: Capture) -> Fields:
    """The kinds of records that are not kept, and why, are unjit's own words."""
    said = Message("source, generated code, paths, host, environment, constants, messages, and what may quote them: ")
    return {"left_out": (*capture.left_out, Message(f"{said}{LEFT_OUT_BY_REDACTION}")), "sources": (), "outside": ()}


_RULES: Final[dict[type, Callable[[Redactor, Any], Fields]]] = {
    **dict.fromkeys((ModuleCall, CallLine, Decomposition), _nodes),
    GraphBreak: _break,
    FailedGuard: _failed,
    CudaGraphSkip: _skip,
    Guard: _guard,
    Code: _code,
    Graph: _graph,
    GraphInput: _input,
    Symbol: _symbol,
    StackValue: _stack_value,
    Kernel: _kernel,
    KeptMemory: _kept,
    Run: _run,
    CompileRun: _compile_run,
    ProcessGroup: _group,
    Capture: _capture,
}


def _sources_on_the_stack(report: Report) -> Iterable[str]:
    """What resume functions get is told by the source that computes it; a variable goes by its name, which stays."""
    for function in report.functions:
        stack = None if function.resume is None else function.resume.stack
        for value in () if stack is None or isinstance(stack, Unknown) else stack:
            if not isinstance(value.expression, Unknown) and not value.expression.isidentifier():
                yield str(value.expression)


def expressions_of(compiles: Iterable[CapturedCompile], report: Report | None) -> Iterable[object]:
    """All that Dynamo may have named inputs of graphs after."""
    for one in compiles:
        yield from (tensor.source for tensor in one.inputs)
        yield from (symbol.source for symbol in one.symbols)
    for function in () if report is None else report.functions:
        for entry in function.entries:
            yield from _expressions_of_entry(entry)


def _expressions_of_entry(entry: Entry) -> Iterable[object]:
    if not isinstance(entry.guards, Unknown):
        yield from (node.source for node in entry.guards.tree.walk())
    for graph in entry.graphs:
        yield from () if isinstance(graph.inputs, Unknown) else (one.source for one in graph.inputs)
