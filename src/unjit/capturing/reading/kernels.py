"""The kernels in Inductor's code, and what each of them came from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from unjit.artifacts.graph_lines import lines_of_nodes
from unjit.artifacts.scheduler import operations_of_buffers, origins_of_operations
from unjit.capturing.reading.kernel_buffers import buffers_made
from unjit.capturing.reading.kernel_comments import nodes_in_comments
from unjit.capturing.reading.replays import AOT_HIT, FX_HIT
from unjit.model import Artifact, Generated, Kernel, Maybe, Message, Name, Place, Term, Unknown
from unjit.model.stack_text import places_in

Read = Callable[[str], "str | None"]  # the text of a file
_KERNEL: Final = re.compile(
    r"^(?P<name>\w+) = async_compile\.(?P<how>\w+)\((?:(?!''').)*?'''\n?(?P<source>.*?)'''", re.MULTILINE | re.DOTALL
)
_CPP_WRAPPER: Final = "cpp_wrapper_src = "  # its kernels are functions beside what calls them
_IN_CPP_WRAPPER: Final = re.compile(
    r'^extern "C"\s+void\s+(?P<name>\w+)\([^;{]*\)\s*\{.*?^\}', re.MULTILINE | re.DOTALL
)
_HANDLES: Final = re.compile(r"(?:#|//) \[Provenance debug handles\] (.+)")
_LANGUAGES: Final = {"cpp_pybinding": "C++", "cpp": "C++", "triton": "Triton", "cuda": "CUDA", "halide": "Halide"}
_NOT_ASKED: Final = Unknown(
    Message("Inductor tells it in a capture with fresh=True (unjit run --fresh), from torch 2.9 on")
)
_FROM_CACHE: Final = Unknown(
    Message(
        "torch's cache, which answered here, does not tell it; with fresh=True the compile that fills it does, from "
        "torch 2.9 on"
    )
)
_HITS: Final = (AOT_HIT, FX_HIT)
_OF_A_LIBRARY: Final = ("library", Unknown(Message("it is a library's, called by the wrapper")))
_NOT_TOLD: Final = Unknown(Message("Inductor does not tell it for this graph"))


def read_kernels(artifacts: Iterable[Artifact], read: Read) -> tuple[Kernel, ...]:
    """The kernels of a compile's last attempt, in the order in which the code defines them."""
    by_name = {str(one.name): one for one in artifacts}
    return tuple(
        kernel
        for name, artifact in by_name.items()
        if artifact.origin == "inductor_output_code"
        for kernel in _kernels(name.removesuffix("_output_code"), artifact, by_name, read)
    )


def _kernels(half: str, code: Artifact, artifacts: Mapping[str, Artifact], read: Read) -> Iterator[Kernel]:
    nodes = _json(artifacts.get(f"{half}_provenance"), read)
    untold = _untold(half, artifacts)
    text = read(code.path) or ""
    handles = [handle for found in _HANDLES.findall(text) for handle in found.split(", ")]
    stacks = _only(handles, _json(artifacts.get(f"{half}_kernel_stacks"), read))
    lines = _lines(half, artifacts, read) if stacks is None else {}
    defined = dict(_defined(text))
    sources = {name: source for name, (_, source) in defined.items()}
    beside = {**nodes_in_comments(text), **_scheduled(half, text, sources, artifacts, read)}
    for name in dict.fromkeys([*defined, *(handle.rpartition(":")[0] for handle in handles)]):
        language, source = defined.get(name, _OF_A_LIBRARY)
        operations = untold if nodes is None else _operations(name, nodes)
        if isinstance(operations, Unknown):
            operations = beside.get(name, operations)
        yield Kernel(
            name=Name(name),
            half=Term(half),
            language=Term(language),
            source=source if isinstance(source, Unknown) else Generated(source),
            operations=operations,
            captured=untold if nodes is None else _captured(operations, nodes),
            places=_places_of_nodes(operations, lines) or untold if stacks is None else _places(name, stacks),
        )


def _defined(code: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The kernels that Inductor's code has the source of, by name, each with its language."""
    for match in _KERNEL.finditer(code):
        yield match["name"], (_LANGUAGES.get(match["how"], match["how"]), match["source"])
    if _CPP_WRAPPER in code:
        for match in _IN_CPP_WRAPPER.finditer(code):
            yield match["name"], ("C++", match[0])


def _json(artifact: Artifact | None, read: Read) -> dict[str, Any] | None:
    """The data of a record; None if there is none."""
    text = read(artifact.path) if artifact is not None else None
    try:
        data = json.loads(text) if text else None
    except ValueError:
        return None
    return data if isinstance(data, dict) and data else None


def _only(handles: list[str], stacks: dict[str, Any] | None) -> dict[str, Any] | None:
    """The stacks of kernels that this code calls: torch's record has those of graphs compiled before it as well."""
    return None if stacks is None else {handle: stacks[handle] for handle in handles if handle in stacks}


def _scheduled(
    half: str, code: str, sources: dict[str, str], artifacts: Mapping[str, Artifact], read: Read
) -> dict[str, tuple[Name, ...]]:
    """The nodes that each kernel computes, by what the scheduler said of the buffers that its calls write."""
    fusion, fused = (artifacts.get(f"{half}_{name}") for name in ("fusion", "ir_after_fusion"))
    if fusion is None or fused is None:
        return {}
    origins = origins_of_operations(read(fusion.path) or "")
    operations = operations_of_buffers(read(fused.path) or "")
    found = {}
    for kernel, buffers in buffers_made(code, sources).items():
        computed = dict.fromkeys(one for buffer in buffers for one in operations.get(buffer, ()))
        if operations.keys() >= set(buffers) and origins.keys() >= computed.keys():  # else not all of it is known
            found[kernel] = tuple(dict.fromkeys(Name(node) for one in computed for node in origins[one]))
    return found


def _lines(half: str, artifacts: Mapping[str, Artifact], read: Read) -> dict[Name, Place]:
    """The lines that nodes of the lowered graph came from, by its text."""
    graph = artifacts.get(f"{half}_post_grad_after")
    return {} if graph is None else dict(lines_of_nodes(read(graph.path) or ""))


def _untold(half: str, artifacts: Mapping[str, Artifact]) -> Unknown:
    """Why there is no record of what the kernels of this half came from."""
    looked_up = (artifacts.get(f"{name}_cache") for name in ("aot", half))
    return _FROM_CACHE if any(one and one.origin in _HITS for one in looked_up) else _NOT_ASKED


def _operations(name: str, nodes: dict[str, Any]) -> Maybe[tuple[Name, ...]]:
    """The nodes of the post-grad graph that a kernel computes."""
    found = {key: value for key, value in nodes.get("cppCodeToPost", {}).items() if key.rpartition(":")[0] == name}
    return tuple(dict.fromkeys(Name(node) for value in found.values() for node in value)) if found else _NOT_TOLD


def _captured(operations: Maybe[tuple[Name, ...]], nodes: dict[str, Any]) -> Maybe[tuple[Name, ...]]:
    """The nodes of the captured graph that those came from."""
    if isinstance(operations, Unknown):
        return _NOT_TOLD
    before = nodes.get("postToPre", {})
    found = dict.fromkeys(Name(node) for operation in operations for node in before.get(operation, ()))
    return tuple(found) or _NOT_TOLD


def _places_of_nodes(operations: Maybe[tuple[Name, ...]], lines: Mapping[Name, Place]) -> tuple[Place, ...]:
    """The lines of the user's program that nodes of the graph came from, those that are known."""
    known = () if isinstance(operations, Unknown) else (lines[node] for node in operations if node in lines)
    return tuple(dict.fromkeys(known))


def _places(name: str, stacks: dict[str, Any]) -> Maybe[tuple[Place, ...]]:
    """The lines of the user's program that a kernel came from, as Inductor tells it."""
    texts = [text for key, value in stacks.items() if key.rpartition(":")[0] == name for text in value]
    innermost = [places[-1] for places in map(places_in, texts) if places]
    return tuple(dict.fromkeys(innermost)) if innermost else _NOT_TOLD
