"""A capture as the files that `depyf.prepare_debug` writes: flat, with depyf's names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from unjit.compat.depyf.explain.utils import write_code_to_file_template
from unjit.compat.depyf.full_code import full_code
from unjit.model import Capture, CapturedCompile, Code, Function, Unknown
from unjit.model.captured.pieces import without_number

# Our name of an artifact -> depyf's name of the stage.
STAGES: Final = {
    "captured": "Captured_Graph",
    "pre_grad_before": "BEFORE_PRE_GRAD",
    "joint": "Joint_graph",
    "forward": "Forward_graph",
    "inference": "Forward_graph",  # depyf knows no other word for a graph without backward
    "backward": "Backward_graph",
    "forward_post_grad_after": "AFTER_POST_GRAD",
    "inference_post_grad_after": "AFTER_POST_GRAD",
    "backward_post_grad_after": "AFTER_POST_GRAD",
}
_KERNELS: Final = ("forward_output_code", "inference_output_code", "backward_output_code")
_GRAPH: Final = re.compile(r"__compiled_fn_\d+")
_AWKWARD: Final = re.compile(r"[.<> ]")


def write(capture: Capture, directory: Path, names: Mapping[object, str] = MappingProxyType({})) -> list[str]:
    """Write everything; gives the paths. Raises OSError if one cannot be written.

    `names` are those of graphs whose entries are gone, by the number of the compile.
    """
    return [write_code_to_file_template(text, str(directory / name)) for name, text in files(capture, names)]


def files(capture: Capture, names: Mapping[object, str] = MappingProxyType({})) -> Iterator[tuple[str, str]]:
    """The files: a name, in which `%s` stands for a number that tells equal names apart, and the text."""
    for compiled in capture.compiles:
        yield from _graphs(compiled, graph_name(capture, compiled, names))
    made_here = {one.compile.compile_id for one in capture.compiles}
    for function in capture.report.functions:
        for entry in function.entries:
            older = not isinstance(entry.compile_id, Unknown) and entry.compile_id not in made_here
            if isinstance(entry.code, Code) and not older:
                yield _transformed(function, entry.code)
        if function.resume is None and function.entries:
            yield f"full_code_for_{_plain(_short(function))}_%s.py", full_code(capture.report, function)


def graph_name(capture: Capture, compiled: CapturedCompile, names: Mapping[object, str]) -> str:
    """`__compiled_fn_N` of the graph that a compile made; by the compile's number where its entry is gone."""
    function = capture.report.function(compiled.function)
    for entry in function.entries:
        if entry.compile_id == compiled.compile.compile_id and entry.graphs:
            found = _GRAPH.match(entry.graphs[0].name)
            if found:
                return found[0]
    return names.get(compiled.compile.compile_id) or f"__compiled_fn_of_{compiled.function}_{compiled.number}"


def _graphs(compiled: CapturedCompile, name: str) -> Iterator[tuple[str, str]]:
    last = max((artifact.attempt for artifact in compiled.artifacts), default=0)
    for artifact in compiled.artifacts:
        if artifact.attempt != last or isinstance(artifact.text, Unknown):
            continue
        stage = without_number(artifact.name)
        if stage in STAGES:
            yield f"{name}.{STAGES[stage]}.%s.py", artifact.text
        elif stage in _KERNELS:
            yield f"{name}.kernel_%s.py", artifact.text


def _transformed(function: Function, code: Code) -> tuple[str, str]:
    name = _plain(_short(function))
    return f"__transformed_code_%s_for_{name}.py", code.source


def _short(function: Function) -> str:
    """depyf names files by the code's own name, without the classes and functions that it is in."""
    return function.qualname.rpartition(".")[2]


def _plain(name: str) -> str:
    return _AWKWARD.sub("_", name)
