"""What the forward graphs of a compile keep for their backward graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from unjit.artifacts.kept import kept
from unjit.model import Artifact, KeptForBackward

_BACKWARD: Final = "aot_backward_graph"


def read_kept(
    artifacts: Iterable[Artifact], records: Iterable[tuple[str, Mapping[str, Any]]], read: Callable[[str], str | None]
) -> Iterator[KeptForBackward]:
    """One for each pair of graphs of the last attempt, in the order in which torch made them."""
    by_name = {str(one.name): one for one in artifacts}
    backward = {name: one for name, one in by_name.items() if one.origin == _BACKWARD}
    sizes = _sizes(records) if backward else {}
    for name, artifact in backward.items():
        forward = by_name.get(name.replace("backward", "forward", 1))
        texts = None if forward is None else (read(forward.path), read(artifact.path))
        if texts is not None and texts[0] is not None and texts[1] is not None:
            found = kept(name, texts[0], texts[1], sizes)
            if found is not None:
                yield found


def _sizes(records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, int]:
    """What each symbol was in the call that was compiled, as far as torch tells."""
    told = ((str(record.get("symbol")), str(record.get("val"))) for kind, record in records if kind == "create_symbol")
    return {symbol: int(value) for symbol, value in told if value.isdecimal()}
