"""`unjit.getsource`: the source of whatever torch.compile made, as long as it is alive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

from unjit.api.entry import EntryHandle, FunctionHandle
from unjit.bytecode import BytecodeError
from unjit.decompiler import code_of, decompile
from unjit.errors import BadTarget
from unjit.model import Graph, Unknown
from unjit.observe.functions.sources import listing, module_text, qualname
from unjit.observe.targets.resolving import codes_of, compiled_behind, resolve, users_name
from unjit.pages import code_page
from unjit.torch_private.cache.ahead_of_time import entries_of_ahead
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.cache.resumes import is_resume_code
from unjit.torch_private.cache.targets import is_compiled
from unjit.torch_private.calling.calls import is_generated
from unjit.torch_private.compiled_graphs.graphs import calls_graphs, readable
from unjit.torch_private.compiled_graphs.running import is_graph, what_runs
from unjit.torch_private.probes.probe import is_part_of_torch


def getsource(target: Any) -> str:
    """Source of generated code, a resume function, a graph, what Dynamo calls for a graph, or any other function.

    - A code object or function that torch.compile made: decompiled, with the verdict in a comment.
    - What `torch.compile` or `aot_compile` returned: the same for the code of each of its entries, in the order in
      which they are tried, then of those of its parts: modules in a module, or what a partial or callable object calls.
    - A graph module: torch's readable form. A `__compiled_fn_…`: what it runs, be it graphs or Inductor's wrappers.
    - What `unjit.explain` gives: an entry or a copy of one, the entries of a function, a graph.
    - A frame of a module's top level: the text of its file, where its code was compiled from that.
    - Any other function, and whatever else `unjit.decompile` takes, as a generator or a property: its file's text, or
      else its bytecode decompiled, with the verdict and why there is no text in a comment.

    Raises BadTarget for what has no Python code, and for a compiled function that has no entries yet.
    """
    explained = _of_explained(target)
    if explained is not None:
        return explained
    if is_graph(target):
        return _of_graph(target)
    if isinstance(target, MethodType) and is_graph(target.__self__):
        return _of_graph(target.__self__)
    if ahead := entries_of_ahead(target):
        return "\n".join(_titled(f"entry {number}", one.code) for number, one in enumerate(ahead))
    target = compiled_behind(target)
    if is_compiled(target):
        return _of_entries(target)
    if isinstance(target, FunctionType) and is_part_of_torch(target.__code__):
        parts = list(_of_parts(target))
        if parts:
            return "\n".join(parts)
    code = _code_behind(target)
    return code_page(code).text if _is_generated(code) else _of_file(code)


def _of_explained(target: Any) -> str | None:
    """The source of a handle that `unjit.explain` gave, or of a graph; None for anything else."""
    if isinstance(target, FunctionHandle):
        if not target.entries:
            raise BadTarget(f"{target.name} has no cache entries: print it for why there are none")
        return "\n".join(entry.code.source for entry in target.entries)
    if isinstance(target, Graph):
        if isinstance(target.source, Unknown):
            raise BadTarget(f"the source of {target.name} is {target.source}")
        return target.source
    from unjit.rewrite import EntryCopy

    return target.code.source if isinstance(target, (EntryHandle, EntryCopy)) else None


def _of_graph(graph: Any) -> str:
    text = readable(graph)
    return str(graph.code) if isinstance(text, Unknown) else text


def _of_parts(compiled: Any) -> Iterator[str]:
    """What runs behind what Dynamo calls for a graph."""
    for part in what_runs(None, compiled)[0]:
        if part.wrapper is None:
            yield f"# {part.stage}\n{_of_graph(part.graph)}"
        else:
            yield f"# {part.stage}\n{_of_wrapper(part.wrapper.__code__)}"


def _of_wrapper(code: CodeType) -> str:
    """The file that Inductor wrote; decompiled where that is gone, as when a cache was only for a while."""
    try:
        return Path(code.co_filename).read_text(encoding="utf-8")
    except OSError:
        return code_page(code, [f"Inductor's own file {code.co_filename} cannot be read"]).text


def _of_entries(target: Any) -> str:
    resolved = resolve(target)
    own, *parts = codes_of(resolved)
    titled = [(f"entry {number}", code) for number, code in enumerate(_entry_codes(own))]
    for part in parts:
        titled += ((f"entry {number} of {qualname(part)}", code) for number, code in enumerate(_entry_codes(part)))
    if not titled:
        name = users_name(resolved)
        raise BadTarget(f"{name} has no compiled code: call it first, or see `unjit.explain` for why there is none")
    return "\n".join(_titled(title, code) for title, code in titled)


def _titled(title: str, code: Any) -> str:
    if not isinstance(code, CodeType):
        raise BadTarget(f"the code of {title} is {code}")
    return code_page(code, [title]).text


def _entry_codes(owner: CodeType) -> list[CodeType]:
    found = entries_of(owner)
    return [] if isinstance(found, Unknown) else [entry.code for entry in found if isinstance(entry.code, CodeType)]


def _code_behind(target: Any) -> CodeType:
    """The code that torch would compile for it, or else the code that it holds, as a generator or a property does."""
    try:
        return resolve(target).code
    except BadTarget:
        pass
    try:
        return code_of(target)
    except TypeError as error:
        raise BadTarget(str(error)) from None


def _is_generated(code: CodeType) -> bool:
    return is_resume_code(code) or is_generated(code) or calls_graphs(code)


def _of_file(code: CodeType) -> str:
    if code.co_name == "<module>" and (text := module_text(code)) is not None:
        return text
    if code.co_name.startswith("<") and code.co_name != "<lambda>":
        return _of_bytecode(code, f"which lines are those of {code.co_name} alone is not known")
    found = listing(code)
    return _of_bytecode(code, found.reason) if isinstance(found, Unknown) else f"{found.text}\n"


def _of_bytecode(code: CodeType, why: str) -> str:
    """The source of code that torch did not make and that has no text, decompiled; `why` says why it has none."""
    try:
        answer = decompile(code)
    except BytecodeError as error:
        raise BadTarget(f"{qualname(code)} has no bytecode that makes sense: {error}") from None
    reason = f" ({answer.reason})" if answer.reason else ""
    return f"# {answer.verdict}{reason}: decompiled from its bytecode; {why}\n{answer.source}"
