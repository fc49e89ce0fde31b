"""One rank's capture as it lies in its folder, whether the rank came to its end or not."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from unjit.directory import layout, runs
from unjit.directory.runs import Runs
from unjit.errors import UnjitError
from unjit.model import CapturedCompile, Function, Maybe, Membership, Message, Place, Unknown
from unjit.ranks.texts import Texts

_NO_RUNS: Final = Unknown(Message("the order of runs was not recorded: torch 2.12 and newer tell it, logs do not"))
_NO_ORDER: Final = Unknown(Message("the order of compiles, by which runs are noted, is not known"))
_NO_PLACE: Final = Unknown(Message("the rank ended before it was written"))


@dataclass(frozen=True)
class ReadCompile:
    """A compile: its texts by the names of their files, each as a number of `Texts`."""

    function: str
    number: int
    path: str  # from the top of the rank's folder
    texts: dict[str, int]
    facts: CapturedCompile | None  # None: the rank ended within the compile

    @property
    def is_from_cache(self) -> bool:
        """Whether torch's caches gave a part of it, so that texts are missing which others have."""
        return self.facts is not None and any(one.result == "hit" for one in self.facts.caches)


@dataclass
class ReadRank:
    """A rank: its compiles in the order in which they began."""

    rank: int
    folder: str  # from the top of the whole directory
    finished: bool = False
    membership: Membership | None = None
    places: dict[str, Maybe[Place]] = field(default_factory=dict)  # of functions by their keys
    compiles: list[ReadCompile] = field(default_factory=list)
    runs: Maybe[Runs] = _NO_RUNS  # by the order of compiles
    seconds: Maybe[float] = field(default_factory=lambda: Unknown(Message("run.json does not say")))
    losses: list[Message] = field(default_factory=list)

    def calls(self) -> dict[int, int]:
        """For compiles, by their order: at which run of the function's code, from the first on, its own ran first."""
        if isinstance(self.runs, Unknown) or self.runs.first:
            return {}
        found: dict[int, int] = {}
        counts: Counter[str] = Counter()
        for order in self.runs.kept:
            counts[self.compiles[order].function] += 1
            if order not in found:
                found[order] = counts[self.compiles[order].function]
                if len(found) == len(self.compiles):
                    break
        return found


def rank_folders(top: Path) -> tuple[dict[int, str], list[str]]:
    """The folder of each rank, the one of its last start, and the folders of other processes; UnjitError if none."""
    try:
        names = sorted(entry.name for entry in os.scandir(top / layout.PROCESSES) if entry.is_dir())
    except OSError:
        names = []
    starts: dict[int, list[tuple[int, str]]] = {}
    for name in names:
        start = layout.start_of_rank(name)
        if start is not None:
            starts.setdefault(start[0], []).append((start[1], name))
    if not starts:
        raise UnjitError(
            f"{top} holds no captures of ranks: give the directory that was named to `unjit run --out` under torchrun,"
            " or made by `unjit ingest` from the logs of several ranks"
        )
    found = {rank: max(own)[1] for rank, own in sorted(starts.items())}
    return found, [name for name in names if name not in found.values()]


def read_rank(top: Path, rank: int, name: str, texts: Texts) -> ReadRank:
    """What is in the folder of a rank. Raises nothing: what cannot be read is in its losses."""
    folder = top / layout.PROCESSES / name
    read = ReadRank(rank, f"{layout.PROCESSES}/{name}")
    index = _json(folder / layout.INDEX, read)
    run = _json(folder / layout.RUN, read)
    read.finished = bool(index.get("finished"))
    read.losses += [Message(loss) for loss in index.get("losses", ())]
    read.membership = _value(folder / layout.DISTRIBUTED, Membership, texts, read)
    found = {one.path: one for one in _compiles(folder, texts, read)}
    order = [one["path"] for one in run.get("compiles", ())] if read.finished else _lines(folder / layout.ORDER)
    known = set(order) == set(found)
    read.compiles = [found.pop(path) for path in dict.fromkeys(order) if path in found] + list(found.values())
    read.runs = _runs(folder / layout.RUNS, read) if known else _NO_ORDER
    times = [one["seconds"] for one in run.get("compiles", ()) if isinstance(one["seconds"], float)]
    if read.finished and times:
        read.seconds = round(sum(times), 3)
    return read


def _compiles(folder: Path, texts: Texts, read: ReadRank) -> Iterator[ReadCompile]:
    for key in _folders(folder / layout.FUNCTIONS):
        function = _value(folder / layout.function_folder(key) / layout.FUNCTION, Function, texts, read)
        read.places[key] = _NO_PLACE if function is None else function.place
        numbers = (name.removeprefix("compile_") for name in _folders(folder / layout.function_folder(key)))
        for number in sorted(int(number) for number in numbers if number.isdigit()):
            path = layout.compile_folder(key, number)
            yield ReadCompile(
                key,
                number,
                path,
                _texts(folder / path, texts),
                _value(folder / path / layout.COMPILE, CapturedCompile, texts, read),
            )


def _texts(folder: Path, texts: Texts) -> dict[str, int]:
    """The texts of the last attempt of a compile: what came before lies in folders below."""
    found = {}
    for name in sorted(entry.name for entry in os.scandir(folder) if entry.is_file()):
        number = texts.read(folder / name) if name.endswith((".py", ".txt")) or name == layout.CALLERS else None
        if number is not None:
            found[name] = number
    return found


def _runs(path: Path, read: ReadRank) -> Maybe[Runs]:
    """The runs of compiled code, if they were written down and tell an order."""
    try:
        found = runs.read(path.read_bytes())
    except OSError:
        return _NO_RUNS
    except ValueError as error:
        read.losses.append(Message(f"{path.name} cannot be read: {error}"))
        return _NO_RUNS
    if found.threads > 1:
        return Unknown(Message("several threads ran compiled code, in an order that is a matter of chance"))
    if any(order >= len(read.compiles) for order in (*found.kept, *found.before)):
        return Unknown(Message("code ran that no compile of the capture made"))
    return found


def _value(path: Path, kind: type, texts: Texts, read: ReadRank) -> Any:
    number = texts.read(path)
    if number is None:
        return None
    try:
        return texts.value(number, kind)
    except (ValueError, TypeError) as error:
        read.losses.append(Message(f"{path.name} of {path.parent.name} does not fit: {error}"))
        return None


def _json(path: Path, read: ReadRank) -> dict[str, Any]:
    """An object from its file; an empty one if it is not there."""
    try:
        data = json.loads(path.read_bytes())
    except OSError:
        return {}
    except ValueError as error:
        read.losses.append(Message(f"{path.name} is no JSON: {error}"))
        return {}
    return data if isinstance(data, dict) else {}


def _folders(path: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(path) if entry.is_dir())
    except OSError:
        return []


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
