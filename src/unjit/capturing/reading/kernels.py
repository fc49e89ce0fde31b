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
from unjit.model.words.stack_text import places_in

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
        for kernel in _Half(name.removesuffix("_output_code"), by_name, read).kernels(read(artifact.path) or "")
    )


class _Half:
    """One half of a compile, with the texts that there are of it."""

    def __init__(self, name: str, artifacts: Mapping[str, Artifact], read: Read) -> None:
        self._name = name
        self._artifacts = artifacts  # of the whole compile
        self._read = read

    def kernels(self, code: str) -> Iterator[Kernel]:
        """The kernels in Inductor's code for it."""
        nodes, untold = self._data("provenance"), self._untold()
        handles = [handle for found in _HANDLES.findall(code) for handle in found.split(", ")]
        stacks = _only(handles, self._data("kernel_stacks"))
        lines = self._lines() if stacks is None else {}
        defined = dict(_defined(code))
        sources = {name: source for name, (_, source) in defined.items()}
        beside = {**nodes_in_comments(code), **self._scheduled(code, sources)}
        for name in dict.fromkeys([*defined, *(handle.rpartition(":")[0] for handle in handles)]):
            language, source = defined.get(name, _OF_A_LIBRARY)
            operations = untold if nodes is None else _operations(name, nodes)
            if isinstance(operations, Unknown):
                operations = beside.get(name, operations)
            yield Kernel(
                name=Name(name),
                half=Term(self._name),
                language=Term(language),
                source=source if isinstance(source, Unknown) else Generated(source),
                operations=operations,
                captured=untold if nodes is None else _captured(operations, nodes),
                places=_places_of_nodes(operations, lines) or untold if stacks is None else _places(name, stacks),
            )

    def _text(self, of: str) -> str | None:
        """The text of it that has this name; None if there is none."""
        artifact = self._artifacts.get(f"{self._name}_{of}")
        return None if artifact is None else self._read(artifact.path)

    def _data(self, of: str) -> dict[str, Any] | None:
        """The data of a record; None if there is none."""
        try:
            data = json.loads(self._text(of) or "null")
        except ValueError:
            return None
        return data if isinstance(data, dict) and data else None

    def _scheduled(self, code: str, sources: dict[str, str]) -> dict[str, tuple[Name, ...]]:
        """The nodes that each kernel computes, by what the scheduler said of the buffers that its calls write."""
        fusion, fused = self._text("fusion"), self._text("ir_after_fusion")
        if fusion is None or fused is None:
            return {}
        origins, operations = origins_of_operations(fusion), operations_of_buffers(fused)
        found = {}
        for kernel, buffers in buffers_made(code, sources).items():
            computed = dict.fromkeys(one for buffer in buffers for one in operations.get(buffer, ()))
            if operations.keys() >= set(buffers) and origins.keys() >= computed.keys():  # else not all of it is known
                found[kernel] = tuple(dict.fromkeys(Name(node) for one in computed for node in origins[one]))
        return found

    def _lines(self) -> dict[Name, Place]:
        """The lines that nodes of the lowered graph came from, by its text."""
        return dict(lines_of_nodes(self._text("post_grad_after") or ""))

    def _untold(self) -> Unknown:
        """Why there is no record of what its kernels came from."""
        looked_up = (self._artifacts.get(f"{name}_cache") for name in ("aot", self._name))
        return _FROM_CACHE if any(one and one.origin in _HITS for one in looked_up) else _NOT_ASKED


def _defined(code: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The kernels that Inductor's code has the source of, by name, each with its language."""
    for match in _KERNEL.finditer(code):
        yield match["name"], (_LANGUAGES.get(match["how"], match["how"]), match["source"])
    if _CPP_WRAPPER in code:
        for match in _IN_CPP_WRAPPER.finditer(code):
            yield match["name"], ("C++", match[0])


def _only(handles: list[str], stacks: dict[str, Any] | None) -> dict[str, Any] | None:
    """The stacks of kernels that this code calls: torch's record has those of graphs compiled before it as well."""
    return None if stacks is None else {handle: stacks[handle] for handle in handles if handle in stacks}


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
