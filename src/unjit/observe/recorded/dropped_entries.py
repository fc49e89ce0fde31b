"""What recorded compiles made, where that is gone at the end of the run."""

from __future__ import annotations

from dataclasses import replace

from unjit.model import CompileId, Entry, Generated, Graph, Maybe, Message, Name, Term, Unknown
from unjit.model.explained.functions import AHEAD
from unjit.observe.entries.code import read_code
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.observe.recorded.compiles import is_made_ahead, outcome, unended
from unjit.torch_private.compiled_graphs.graphs import names_of_graphs

_DROPPED = Message("Dynamo dropped it before the program ended, at a reset or with something that it depended on")
_NOT_KEPT = Message("aot_compile handed it out, and the program kept it no longer")
_NOT_NOTED = Unknown(Message("it went with the entry, which Dynamo dropped before the program ended"))


def dropped_entry(recorded: RecordedCompile, compile_id: CompileId, index: int) -> Entry | None:
    """The entry that a compile made and that no longer exists; None if its code is gone without a copy."""
    code = recorded.copy
    if code is None or outcome(recorded) != "compiled":
        return None
    names, ahead = names_of_graphs(code), is_made_ahead(recorded)
    texts = captured_graphs(recorded)
    unread = Unknown(Message("the trace does not tell which of several graphs it is"))
    graphs = (_graph(name, texts[0] if len(names) == len(texts) == 1 else unread, recorded) for name in names)
    return Entry(
        index=index,
        kind=AHEAD if ahead else "cache entry",
        compile_id=compile_id,
        backend=_NOT_NOTED,
        invalid=_NOT_KEPT if ahead else _DROPPED,
        hits=_NOT_NOTED,
        guards=_NOT_NOTED,
        code=read_code(code),
        graphs=tuple(graphs),
        resume_functions=(),
    )


def captured_graphs(recorded: RecordedCompile) -> list[Generated]:
    """The graphs of the attempt that succeeded, as torch printed them when it captured them."""
    last = max((attempt for attempt, _ in recorded.graphs), default=0)
    return [Generated(text.strip("\n")) for attempt, text in recorded.graphs if attempt == last]


def _graph(name: str, source: Maybe[Generated], recorded: RecordedCompile) -> Graph:
    return Graph(
        name=Name(name),
        backend=_NOT_NOTED,
        stage=Term("captured"),
        source=source,
        inputs=Unknown(Message("the trace has them in the graph's source only")),
        operations=_operations(recorded),
    )


def _operations(recorded: RecordedCompile) -> Maybe[int]:
    """How many there are in the graph, as torch counts them at the end of a compile."""
    found: Maybe[int] = (recorded.metrics or {}).get("graph_op_count", unended(recorded))
    return found


def completed(entry: Entry, recorded: RecordedCompile, compile_id: CompileId) -> Entry:
    """A live entry with what the record knows and it does not: all that went when it was invalidated, or its graph."""
    if entry.invalid is None or not isinstance(entry.code, Unknown):
        return _with_captured_graph(entry, recorded)
    made = dropped_entry(recorded, compile_id, entry.index)
    return entry if made is None else replace(made, invalid=entry.invalid)


def _with_captured_graph(entry: Entry, recorded: RecordedCompile) -> Entry:
    """The entry with the text of its graph from the trace, where the backend did not keep the graph itself."""
    texts = captured_graphs(recorded)
    if len(entry.graphs) != 1 or len(texts) != 1 or not isinstance(entry.graphs[0].source, Unknown):
        return entry
    graph = replace(entry.graphs[0], source=texts[0], stage=Term("captured"), operations=_operations(recorded))
    return replace(entry, graphs=(graph,))
