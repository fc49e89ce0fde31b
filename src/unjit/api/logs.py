"""`unjit.enable_logs`: what TORCH_LOGS prints, with source and readable guards beside it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from types import CodeType

from unjit.bytecode.changed.relocate import as_made
from unjit.errors import Unsupported
from unjit.model import Unknown, known_or
from unjit.model.words.wording import in_words
from unjit.observe.functions.names import identifier
from unjit.observe.guards.reading import read_guards
from unjit.pages import code_page
from unjit.render.forms.text import guards_text
from unjit.torch_private.cache.entries import RawEntry, entries_of
from unjit.torch_private.calling.calls import before_runs
from unjit.torch_private.following import trace
from unjit.torch_private.following.log_records import add_to_log, is_logged
from unjit.torch_private.guard_trees.guards import guards_of
from unjit.torch_private.probes.probe import import_compiler

_lock = threading.Lock()
_undo: list[Callable[[], object]] = []
_new: dict[int, tuple[weakref.ref[CodeType], weakref.ref[CodeType]]] = {}  # originals, generated: guards not told yet


def enable_logs() -> None:
    """Add source and readable guards to torch's logs, where `TORCH_LOGS` or `torch._logging.set_logs` asks for these.

    `bytecode`: after the bytecode of each piece of generated code its source, with the verdict. `guards`: the guards of
    each new entry as readable text, before it first runs (torch 2.12 and newer). Nothing is printed that was not asked
    for. Calling it again changes nothing. Imports torch; raises Unsupported if this torch has no hook for it.
    """
    with _lock:
        if _undo:
            return
        import_compiler()
        hooked = trace.on_generated_code(_generated)
        if isinstance(hooked, Unknown):
            raise Unsupported(f"torch's logs cannot be added to: {hooked.reason}")
        _undo.append(hooked)
        told = before_runs(_runs)
        if not isinstance(told, Unknown):
            _undo.append(told)
        elif is_logged("guards"):
            add_to_log("guards", f"unjit adds no readable guards: {told.reason}")


def disable_logs() -> None:
    """Undo `enable_logs`: torch's logs have only what torch writes."""
    with _lock:
        while _undo:
            _undo.pop()()
        _new.clear()


def _generated(original: CodeType, generated: CodeType) -> None:
    """Runs within the user's compile."""
    try:
        if is_logged("guards") and len(_undo) > 1:  # else nobody tells when the entry runs
            made = as_made(generated)  # unjit.debug may put it on a page, before this or after
            _new[id(made)] = (weakref.ref(original), weakref.ref(made))
        if is_logged("bytecode"):
            where = f"{original.co_filename}:{original.co_firstlineno}"
            page = code_page(generated, [f"DECOMPILED BYTECODE {identifier(original)}, {where}"])
            add_to_log("bytecode", page.text)
    except Exception as error:  # told where the user is looking
        add_to_log("bytecode", f"unjit has no source for it: {in_words(error)}")


def _runs(generated: CodeType) -> None:
    """Runs before each piece of generated code."""
    made = as_made(generated)
    known = _new.pop(id(made), None) if _new else None
    original, code = (None, None) if known is None else (known[0](), known[1]())
    if original is None or code is not made:
        return
    try:
        entries = known_or(entries_of(original), [])
        entry = next((entry for entry in entries if entry.code is generated), None)
        if entry is not None:
            add_to_log("guards", _guards(original, entry))
    except Exception as error:  # told where the user is looking
        add_to_log("guards", f"unjit cannot read the guards: {in_words(error)}")


def _guards(original: CodeType, entry: RawEntry) -> str:
    found = guards_of(entry.guard_manager)
    text = guards_text(found if isinstance(found, Unknown) else read_guards(found, original, lambda path: path))
    return f"GUARDS OF {identifier(original)}, compile {entry.compile_id}\n{text}"
