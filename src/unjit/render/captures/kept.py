"""What forward graphs keep for their backward, by the lines of the program that made it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unjit.model import CapturedCompile, KeptForBackward, KeptMemory, Maybe, Place, Unknown
from unjit.render.forms.outline import count

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class KeptByLine:
    """What one line of the program made of it."""

    place: Maybe[Place]
    tensors: int
    size: int  # in bytes, of those whose size is known
    open: int  # of how many tensors it is not known
    kinds: tuple[str, ...]  # f32[4, 12], each once, the largest first

    @property
    def memory(self) -> str:
        """`3.1 kB`, or `3.1 kB and 2 of open size`."""
        return _told(self.size, self.open)

    @property
    def told(self) -> str:
        """`2 tensors, 3.1 kB`."""
        return f"{count(self.tensors, 'tensor')}, {self.memory}"


def kept_by_line(kept: KeptForBackward) -> tuple[KeptByLine, ...]:
    """The lines, those with the most bytes first."""
    found: dict[Maybe[Place], list[KeptMemory]] = {}
    for one in kept.memory:
        found.setdefault(one.place, []).append(one)
    lines = (_line(place, those) for place, those in found.items())
    return tuple(sorted(lines, key=lambda line: -line.size))


def _line(place: Maybe[Place], those: list[KeptMemory]) -> KeptByLine:
    known = [one.size for one in those if not isinstance(one.size, Unknown)]
    kinds = tuple(dict.fromkeys(str(one.kind) for one in those))
    return KeptByLine(place, len(those), sum(known), len(those) - len(known), kinds)


def kept_in_all(kept: KeptForBackward) -> str:
    """`41 tensors, 612.3 kB, and 17 of its inputs`."""
    unknown = sum(isinstance(one.size, Unknown) for one in kept.memory)
    told = f"{count(len(kept.memory), 'tensor')}, {_told(kept_bytes(kept), unknown)}"
    return f"{told}, and {kept.inputs} of its inputs" if kept.inputs else told


def kept_bytes(kept: KeptForBackward) -> int:
    """The bytes of all whose size is known."""
    return sum(one.size for one in kept.memory if not isinstance(one.size, Unknown))


def not_known(compiled: CapturedCompile) -> Iterator[str]:
    """Why it is not known what a forward graph keeps, for each backward graph of which that is so."""
    known = {str(kept.half) for kept in compiled.kept}
    for text in compiled.artifacts:
        if text.origin == "aot_backward_graph" and text.name not in known:
            yield (
                str(text.text.reason) if isinstance(text.text, Unknown) else "the text of its graphs is of another kind"
            )


def _told(size: int, unknown: int) -> str:
    return f"{size_in_words(size)} and {unknown} of open size" if unknown else size_in_words(size)


def size_in_words(size: float) -> str:
    """`36 bytes`, `36.9 kB`, `1.2 GB`; a kB is 1,000 bytes."""
    for unit in _UNITS[:-1]:
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} {_UNITS[-1]}"
