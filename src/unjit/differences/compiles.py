"""One compile, and the entry that it made, in two captures.

Lines of a file move when somebody edits above them; so a place is compared by its file, its function and the text of
its line, and comments, in which torch names lines, are left out of graphs and kernels.

A change with something unknown on one of its sides says that this could not be compared: whoever asks for changes tells
the two apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

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
    known_or,
)

_WRAPPER: Final = "_output_code"  # with the kernels in it, which are compared one by one
_NOT_COMPARED: Final = ("_runnable", _WRAPPER)  # a program that repeats the graph and torch's settings


Parts: TypeAlias = "tuple[Maybe[str], ...]"


def line(text: object) -> Generated:
    """A fact as one line of text."""
    return Generated(" ".join(str(text).split()))


def compile_changes(path: str, one: CapturedCompile | None, other: CapturedCompile | None) -> Iterator[Change]:
    """What differs in a compile; None where there is no such compile."""
    yield from changed_parts("compiles", path, _outcome(one), _outcome(other))
    if one is None or other is None:
        return
    yield from _change("breaks", path, _breaks(one), _breaks(other))
    yield from _change("recompiles", path, _failed(one), _failed(other))
    yield from _texts("graphs", path, graphs_of(one), graphs_of(other))
    yield from _texts("kernels", path, _kernels(one), _kernels(other))
    yield from _texts("kernels", path, _wrappers(one), _wrappers(other))
    mine, yours = _kept(one), _kept(other)
    for half in (half for half in mine if half in yours):  # a graph that one of them lacks is told as such
        yield from _change("memory", f"{path}/{half}", mine[half], yours[half])


def entry_changes(path: str, one: Entry | None, other: Entry | None) -> Iterator[Change]:
    """What differs in an entry; None where there is no such entry."""
    yield from changed_parts("entries", path, _standing(one), _standing(other))
    if one is None or other is None:
        return
    _, guards = of_guards(one.guards, other.guards)
    mine = one.guards if isinstance(one.guards, Unknown) else _asked(guards, first=True)
    yours = other.guards if isinstance(other.guards, Unknown) else _asked(guards, first=False)
    if guards or mine != yours:
        yield Change("guards", Term(f"{path}/guards"), mine, yours)
    yield from _change("code", f"{path}/transformed", code_text(one), code_text(other))


def _change(
    topic: ChangeTopic, path: str, first: Maybe[Generated] | None, second: Maybe[Generated] | None
) -> Iterator[Change]:
    if first != second:
        yield Change(topic, Term(path), first, second)


def changed_parts(topic: ChangeTopic, path: str, one: Parts | None, other: Parts | None) -> Iterator[Change]:
    """What differs in a line that says several things, each of which may be unknown by itself."""
    unknown: set[int] = set()
    for at, (mine, yours) in enumerate(zip(one or (), other or (), strict=False)):
        if isinstance(mine, Unknown) or isinstance(yours, Unknown):
            unknown.add(at)
            yield from _change(topic, path, _part(mine), _part(yours))
    yield from _change(topic, path, _of_parts(one, unknown), _of_parts(other, unknown))


def _part(part: Maybe[str]) -> Maybe[Generated]:
    return part if isinstance(part, Unknown) else line(part)


def _of_parts(parts: Parts | None, without: set[int]) -> Generated | None:
    if parts is None:
        return None
    return line(", ".join(str(part) for at, part in enumerate(parts) if part and at not in without))


def _outcome(one: CapturedCompile | None) -> Parts | None:
    if one is None:
        return None
    found = one.compile
    error = found.error if isinstance(found.error, Unknown) or not found.error else found.error.splitlines()[0]
    backend = found.backend if isinstance(found.backend, Unknown) else f"backend {found.backend}"
    return (found.outcome, backend, error or "", *(f"at {_where(place)}" for place in found.failed_at[-1:]))


def _breaks(one: CapturedCompile) -> Maybe[Generated]:
    if isinstance(one.compile.breaks, Unknown):
        return one.compile.breaks
    return Generated("\n".join(line(f"{found.reason} at {_where(found.place)}") for found in one.compile.breaks))


def _where(place: Maybe[Place]) -> str:
    """A place by what stands there; by its line where that is not known."""
    if isinstance(place, Unknown):
        return str(place)
    here = known_or(place.code, f"line {place.line}")
    return f"{place.file} in {place.written_in}: {here}"


def _failed(one: CapturedCompile) -> Maybe[Generated]:
    """The entries that did not fit by their compiles: the frame before that number counts other functions, too."""
    if isinstance(one.compile.failed_guards, Unknown):
        return one.compile.failed_guards
    numbered = ((str(guard.entry).rpartition("/")[2], guard.told) for guard in one.compile.failed_guards)
    said = (f"compile_{number} did not fit: {told}" for number, told in numbered)
    return Generated("\n".join(map(line, said)))


def _standing(entry: Entry | None) -> Parts | None:
    """What an entry is and calls, and whether it is still in use; what it calls is as unknown as its code."""
    if entry is None:
        return None
    invalid = None if entry.invalid is None else f"invalid: {entry.invalid}"
    if isinstance(entry.code, Unknown):
        return (entry.kind, invalid or entry.code, entry.code, entry.code)
    graphs, resumes = f"graphs: {len(entry.graphs)}", f"resume functions: {len(entry.resume_functions)}"
    return (entry.kind, invalid or "valid", graphs, resumes)


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


def graphs_of(one: CapturedCompile) -> Texts:
    """The graphs of a compile, of each stage, by their names: without comments, and numbered from 0."""
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


def _kept(one: CapturedCompile) -> dict[str, Generated]:
    """What forward graphs keep for their backward, a line for each piece of memory, the largest first."""
    return {
        f"kept/{kept.half}": Generated(
            "\n".join(line(f"{of.kind}, {of.size} bytes, made at {_where(of.place)}") for of in kept.memory)
        )
        for kept in one.kept
    }


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
