"""A directory without what must not leave the machine, made of one that has it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from unjit.directory import layout
from unjit.directory.files import DiskFiles, Files
from unjit.directory.free import be_free
from unjit.directory.loader import read_capture, read_compile
from unjit.directory.stable import Stabiliser
from unjit.directory.writer import Writer
from unjit.errors import BadDirectory, UnjitError
from unjit.model import (
    IN_FILE,
    SCHEMA_VERSION,
    Artifact,
    CapturedCompile,
    Generated,
    Membership,
    Term,
    from_plain,
    to_plain,
)
from unjit.redaction.texts import redacted_configuration, redacted_text
from unjit.redaction.values import LEFT_OUT, Redactor, expressions_of


def redact_directory(directory: Path, out: Path) -> None:
    """Write into `out`, which must be new or empty, what may be shared of a capture and of its processes.

    Raises UnjitError if there is no capture, or if `out` cannot be used or written.
    """
    be_free(out)
    if out.resolve().is_relative_to(directory.resolve()):
        raise UnjitError(f"{out} is inside {directory}: give a directory outside, so that it is clean")
    source, target = DiskFiles(directory), DiskFiles(out)
    names = process_names(source.folders(layout.PROCESSES))
    if source.read(layout.RUN) is not None or not names:  # where only ranks wrote, there is nothing on top
        redact_files(source, target, str(directory), processes=tuple(names.values()))
    for name, alias in names.items():
        redact_directory(directory / layout.PROCESSES / name, out / layout.PROCESSES / alias)
    if target.losses:
        raise UnjitError(f"{out} could not be written: {target.losses[0]}")


def process_names(names: list[str]) -> dict[str, str]:
    """What processes are called: ranks stay, a name that the program gave does not."""
    found: dict[str, str] = {}
    for name in names:
        rank = layout.rank_in(name)
        stem = "process" if rank is None else f"rank_{rank}_process"
        number = sum(1 for alias in found.values() if alias.startswith(stem))
        found[name] = f"{stem}_{number}" if layout.start_of_rank(name) is None else name
    return found


def redact_files(source: Files, target: Files, where: str, *, processes: tuple[str, ...] = ()) -> None:
    """Write the redacted form of what `source` holds to `target`; BadDirectory if it holds no capture."""
    found = read_capture(source, where)
    if found.run is None:
        raise BadDirectory(f"{where} has no {layout.RUN}: it cannot be redacted")
    redactor = Redactor()
    redactor.learn(expressions_of(found.compiles, found.report))
    clean = redactor.redacted(replace(found, processes=tuple(map(Term, processes))))
    compiles = tuple(
        _with_texts(one, before, source, target, redactor)
        for one, before in zip(clean.compiles, found.compiles, strict=True)
    )
    settings = redacted_configuration(source.read(layout.CONFIGURATION) or "")
    if settings is not None:
        target.write(layout.CONFIGURATION, settings)
    _redact_membership(source, target, redactor)
    Writer(target, Stabiliser(())).write(replace(clean, compiles=compiles))


def _redact_membership(source: Files, target: Files, redactor: Redactor) -> None:
    """What a rank knows of its job, if this is one."""
    text = source.read(layout.DISTRIBUTED)
    if text is None:
        return
    data = json.loads(text)
    del data["schema"]
    clean = redactor.redacted(from_plain(Membership, data))
    target.write(layout.DISTRIBUTED, json.dumps({"schema": SCHEMA_VERSION, **to_plain(clean)}, indent=1) + "\n")


def redact_compile(source: Files, target: Files, path: str) -> None:
    """Write the redacted form of one compile, while there will be more; what names files is written at the end anew."""
    found = read_compile(source, path, path)
    if found is not None:
        redactor = Redactor()
        redactor.learn(expressions_of([found], None))
        clean = _with_texts(redactor.redacted(found), found, source, target, redactor)
        Writer(target, Stabiliser(())).write_compile(clean)


def _with_texts(
    clean: CapturedCompile, found: CapturedCompile, source: Files, target: Files, redactor: Redactor
) -> CapturedCompile:
    """A redacted compile, with its texts in their files where they are clean."""
    artifacts = (_artifact(artifact, source, target, redactor) for artifact in found.artifacts)
    return replace(clean, artifacts=tuple(artifacts))


def _artifact(artifact: Artifact, source: Files, target: Files, redactor: Redactor) -> Artifact:
    """The artifact, and its text in its file, if that is clean."""
    kept = redactor.redacted(replace(artifact, text=IN_FILE))
    text = source.read(artifact.path) if isinstance(artifact.text, Generated) else None
    clean = None if text is None else redacted_text(artifact, text, redactor)
    if clean is None:
        return replace(kept, text=LEFT_OUT)
    target.write(kept.path, clean)
    return kept
