"""What a program compiled where its own process saw no compile of Dynamo's: in other processes, or without Dynamo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unjit.directory import layout


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Who compiled, in a few words, and the files to begin with."""

    who: str
    files: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{self.who}: {', '.join(map(str, self.files))}"


def compiled_elsewhere(out: str | None) -> Elsewhere | None:
    """What the directory of a run has besides this process's compiles; None if there is nothing, or no directory."""
    if out is None:
        return None
    index = Path(out) / layout.INDEX_TEXT
    others = tuple(sorted((Path(out) / layout.PROCESSES).glob(f"*/{layout.INDEX_TEXT}")))
    if others:
        return Elsewhere("only other processes of the program compiled", (index,) if index.exists() else others)
    if (Path(out) / layout.OUTSIDE).exists():
        return Elsewhere("Dynamo compiled nothing; what torch made without it", (index,))
    return None
