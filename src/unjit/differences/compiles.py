"""One compile, and the entry that it made, in two captures.

Lines of a file move when somebody edits above them; so a place is compared by its file, its function and the text of
its line, and comments, in which torch names lines, are left out of graphs and kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unjit.differences.entries import code_text, numbered, of_guards
from unjit.model import (
    CapturedCompile,
    Change,
    ChangeTopic,
    Entry,
    Generated,
    GuardDifference,
    Maybe,
    Place,
    Term,
    Unknown,
)

_WRAPPER: Final = "_output_code"  # with the kernels in it, which are compared one by one
_NOT_COMPARED: Final = ("_runnable", _WRAPPER)  # a program that repeats the graph and torch's settings


def line(text: object) -> Generated:
    """Something that is told in a line."""
    return Generated(" ".join(str(text).split()))


def compile_changes(path: str, one: CapturedCompile | None, other: CapturedCompile | None) -> Iterator[Change]:
    """What differs in a compile; None where there is no such compile."""
    yield from _change("compiles", path, _outcome(one), _outcome(other))
    if one is None or other is None:
        return
    yield from _change("breaks", path, _breaks(one), _breaks(other))
    yield from _change("recompiles", path, _failed(one), _failed(other))
    yield from _texts("graphs", path, _graphs(one), _graphs(other))
    yield from _texts("kernels", path, _kernels(one), _kernels(other))
    yield from _texts("kernels", path, _wrappers(one), _wrappers(other))


def entry_changes(path: str, one: Entry | None, other: Entry | None) -> Iterator[Change]:
    """What differs in an entry; None where there is no such entry."""
    yield from _change("entries", path, _standing(one), _standing(other))
    if one is None or other is None:
        return
    _, guards = of_guards(one.guards, other.guards)
    if guards or isinstance(one.guards, Unknown) != isinstance(other.guards, Unknown):
        mine = one.guards if isinstance(one.guards, Unknown) else _asked(guards, first=True)
        yours = other.guards if isinstance(other.guards, Unknown) else _asked(guards, first=False)
        yield Change("guards", Term(f"{path}/guards"), mine, yours)
    yield from _change("code", f"{path}/transformed", code_text(one), code_text(other))


def _change(
    topic: ChangeTopic, path: str, first: Maybe[Generated] | None, second: Maybe[Generated] | None
) -> Iterator[Change]:
    if first != second:
        yield Change(topic, Term(path), first, second)


def _outcome(one: CapturedCompile | None) -> Maybe[Generated] | None:
    if one is None:
        return None
    if isinstance(one.compile.outcome, Unknown):
        return one.compile.outcome
    error = f": {str(one.compile.error).splitlines()[0]}" if one.compile.error else ""
    backend = "" if isinstance(one.compile.backend, Unknown) else f" by {one.compile.backend}"
    return line(f"{one.compile.outcome}{backend}{error}")


def _breaks(one: CapturedCompile) -> Maybe[Generated]:
    if isinstance(one.compile.breaks, Unknown):
        return one.compile.breaks
    return Generated("\n".join(line(f"{found.reason} at {_where(found.place)}") for found in one.compile.breaks))


def _where(place: Maybe[Place]) -> str:
    """A place by what stands there; by its line where that is not known."""
    if isinstance(place, Unknown):
        return str(place)
    here = f"line {place.line}" if isinstance(place.code, Unknown) else place.code
    return f"{place.file} in {place.function}: {here}"


def _failed(one: CapturedCompile) -> Maybe[Generated]:
    if isinstance(one.compile.failed_guards, Unknown):
        return one.compile.failed_guards
    said = (f"{guard.entry} did not fit: {guard.condition}" for guard in one.compile.failed_guards)
    return Generated("\n".join(map(line, said)))


def _standing(entry: Entry | None) -> Maybe[Generated] | None:
    if entry is None:
        return None
    state = "valid" if entry.invalid is None else f"invalid: {entry.invalid}"
    return line(f"{entry.kind}, {state}, graphs: {len(entry.graphs)}, resume functions: {len(entry.resume_functions)}")


def _asked(guards: list[GuardDifference], *, first: bool) -> Generated:
    """The guards that differ, as one of the entries has them: a line for each that it has."""
    sides = [(guard, guard.first if first else guard.second) for guard in guards]
    said = (f"{guard.subject} ({guard.kind}): {side}" for guard, side in sides if side is not None)
    return Generated("\n".join(map(line, said)))


Texts = dict[str, "Maybe[Generated]"]


def _texts(topic: ChangeTopic, path: str, one: Texts, other: Texts) -> Iterator[Change]:
    """Texts by their names. What was left out of one capture is not compared: the notes tell of it."""
    for name in dict.fromkeys([*one, *other]):
        mine, yours = one.get(name), other.get(name)
        if not isinstance(mine, Unknown) and not isinstance(yours, Unknown):
            yield from _change(topic, f"{path}/{name}", mine, yours)


def _graphs(one: CapturedCompile) -> Texts:
    last = max((text.attempt for text in one.artifacts), default=0)
    return {
        str(text.name): text.text if isinstance(text.text, Unknown) else _plain(text.text)
        for text in one.artifacts
        if text.suffix == ".py" and text.attempt == last and not text.name.endswith(_NOT_COMPARED)
    }


def _kernels(one: CapturedCompile) -> Texts:
    sources = {
        f"kernels/{kernel.half}/{kernel.name}": kernel.source
        for kernel in one.kernels
        if not isinstance(kernel.source, Unknown)
    }
    return {name: _plain(text) for name, text in sources.items()}


def _wrappers(one: CapturedCompile) -> Texts:
    """The code that calls the kernels: what it allocates, frees and checks, and in which order it calls them."""
    wrappers = [text for text in one.artifacts if text.name.endswith(_WRAPPER)]
    return {
        f"kernels/{text.name.removesuffix(_WRAPPER)}/wrapper": _without_kernels(text.text, one) for text in wrappers
    }


def _without_kernels(text: Maybe[Generated], one: CapturedCompile) -> Maybe[Generated]:
    if isinstance(text, Unknown):
        return text
    bare = str(text)
    for kernel in one.kernels:
        if not isinstance(kernel.source, Unknown):
            bare = bare.replace(kernel.source, "")
    return _plain(bare)


def _plain(text: str) -> Generated:
    """A text without comments, and with numbers of graphs counted from 0."""
    lines = [part for part in text.splitlines() if not part.lstrip().startswith(("# ", "//"))]
    return numbered("\n".join(part.rstrip() for part in lines if part.strip()))
