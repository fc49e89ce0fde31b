"""The texts of a compile as the page shows them: in the order in which torch makes them, with what their rows are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from unjit.artifacts.scheduler import origins_of_operations
from unjit.model import CapturedCompile, Code, Entry, Function, Unknown
from unjit.model.captured.pieces import half_of, without_number
from unjit.render.captures.capture import meaning, transformed_text
from unjit.render.captures.parts import part_of
from unjit.report.ids import Ids
from unjit.report.texts.graph_rows import callers_of_nodes, graph_rows, joint_origins
from unjit.report.texts.inductor_rows import CodeRows, operation_rows
from unjit.report.texts.links import Row, Tags, kernel_origins

_CAPTURED: Final = ("captured", "pre_grad_before", "pre_grad_after")
_JOINT_PASSES: Final = ("joint_passes_before", "joint_passes_after")  # which torch tells of inference graphs alone
_POST_GRAD: Final = ("post_grad_before", "post_grad_after")
_LOWERED: Final = (*_POST_GRAD, "ir_before_fusion", "ir_after_fusion", "output_code")
_HALVES: Final = ("inference", "forward", "backward")
_GRAPHS: Final = (*_CAPTURED, "joint", *_JOINT_PASSES, *_HALVES)


def _stages() -> Iterator[str]:
    """The texts that follow from each other, in the order in which torch makes them."""
    yield from ("transformed", *_CAPTURED, "joint")
    for half in _HALVES:
        yield half
        yield from _JOINT_PASSES if half == "inference" else ()
        yield from (f"{half}_{part}" for part in _LOWERED)


STAGES: Final = tuple(_stages())


@dataclass
class Shown:
    """One text."""

    name: str
    suffix: str
    says: str
    text: str
    stage: str  # which of those that follow from each other; several pieces of a graph have one each. Else ""
    part: str = ""  # of the captured graph, where that is in pieces
    rows: list[Row] = field(default_factory=list)


def texts_of(compile_: CapturedCompile, entry: Entry | None, ids: Ids) -> list[Shown]:
    """All texts of a compile's last attempt, stages first."""
    found = [*_of_entry(entry), *_of_artifacts(compile_)]
    order = {name: at for at, name in enumerate(STAGES)}
    found.sort(key=lambda one: order.get(without_number(one.name), len(order)))
    _add_rows(found, compile_, ids)
    return found


def _of_entry(entry: Entry | None) -> Iterator[Shown]:
    if entry is not None and isinstance(entry.code, Code):
        says = "what runs in the function's place"
        yield Shown("transformed", ".py", says, transformed_text(entry.code), "transformed")
        yield Shown("transformed_bytecode", ".txt", "its instructions", str(entry.code.disassembly), "")


def _of_artifacts(compile_: CapturedCompile) -> Iterator[Shown]:
    names = dict.fromkeys(one.name for one in compile_.artifacts)
    for artifact in (compile_.artifact(name) for name in names):
        if artifact is not None:
            text = f"not here: {artifact.text}" if isinstance(artifact.text, Unknown) else str(artifact.text)
            said = meaning(artifact)
            stage = without_number(artifact.name)
            is_stage = stage in STAGES
            part = part_of(artifact, compile_)
            yield Shown(str(artifact.name), str(artifact.suffix), said, text, stage if is_stage else "", part)


def _add_rows(texts: list[Shown], compile_: CapturedCompile, ids: Ids) -> None:
    by_name = {one.name: one for one in texts}
    tags = Tags(compile_, ids)
    lines: dict[str, list[str]] = {}
    for one in texts:
        if one.stage and _is_graph(one.name):
            callers = callers_of_nodes(compile_.artifact(one.name), tags)
            one.rows = list(graph_rows(one.text, one.name, tags, callers))
            lines.update({row.is_[0]: row.from_ for row in one.rows if row.is_ and row.from_})
    kernels = kernel_origins(compile_, tags)
    for half in dict.fromkeys(half for one in texts if (half := half_of(one.name))):
        for origins in (_of_captured(by_name, half, tags), _of_joint(by_name, half, tags)):
            for one in texts:
                if _is_graph(one.name) and half_of(one.name) == half:
                    _join(one.rows, origins)
        _add_inductor_rows(by_name, half, tags, kernels, lines)


def _is_graph(name: str) -> bool:
    return without_number(name) in _GRAPHS or name.endswith(_POST_GRAD)


def _of_captured(texts: dict[str, Shown], half: str, tags: Tags) -> dict[str, list[str]]:
    """Which nodes of the captured graph became a node of the lowered one, by torch's record."""
    provenance = texts.get(f"{half}_provenance")
    try:
        data: Any = json.loads(provenance.text) if provenance is not None else {}
        found = data.get("postToPre", {})
        return {tags.post(half, str(post)): [tags.pre(str(name)) for name in pre] for post, pre in found.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def _of_joint(texts: dict[str, Shown], half: str, tags: Tags) -> dict[str, list[str]]:
    """Which nodes of the joint graph were copied to the forward and to the backward."""
    joint = texts.get("joint_passes_after", texts.get("joint"))
    part = texts.get(half)
    return joint_origins(joint.text, part.text, half, tags) if joint is not None and part is not None else {}


def _join(rows: list[Row], before: dict[str, list[str]]) -> None:
    for row in rows:
        row.from_ = [*row.from_, *(origin for tag in row.is_ for origin in before.get(tag, ()))]


def _add_inductor_rows(
    texts: dict[str, Shown], half: str, tags: Tags, kernels: dict[str, list[str]], lines: dict[str, list[str]]
) -> None:
    fusion = texts.get(f"{half}_fusion")
    operations = origins_of_operations(fusion.text) if fusion is not None else {}
    code = CodeRows(half, tags, kernels, lines)
    output = texts.get(f"{half}_output_code")
    if output is not None:
        output.rows = code.rows(output.text)
    for name in (f"{half}_ir_before_fusion", f"{half}_ir_after_fusion"):
        if name in texts:
            texts[name].rows = list(operation_rows(texts[name].text, half, tags, operations, lines))
            _join(texts[name].rows, code.made)


def entry_of(compile_: CapturedCompile, function: Function | None) -> Entry | None:
    """The cache entry that a compile of this function made, if it is there still."""
    entries = function.entries if function is not None else ()
    return next((one for one in entries if one.compile_id == compile_.compile.compile_id), None)
