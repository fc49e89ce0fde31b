"""index.md: what was compiled, in the order of reading, and where to read on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from unjit.model import (
    IN_FILE,
    Artifact,
    CacheLookup,
    Capture,
    CapturedCompile,
    Entry,
    Function,
    GraphBreak,
    Maybe,
    Name,
    Place,
    Unknown,
    known_or,
)
from unjit.model.explained.functions import EntryKind
from unjit.render.captures.capture import meaning
from unjit.render.captures.happened import Happened
from unjit.render.captures.parts import part_of
from unjit.render.captures.telling import tell
from unjit.render.forms.markdown import code, words
from unjit.render.forms.outline import count, fact
from unjit.render.forms.places import defined, where
from unjit.render.functions.compiles import around, breaks_of, by_autograd
from unjit.render.functions.entry_counts import entries_counted
from unjit.render.functions.summary import state

_OF_ANY_ATTEMPT = ("recompile_reasons", "dynamo_graph_break_reason")  # why it was begun at all, and why anew

# Of a function, by its key, or of a compile: paths, and what is there.
TextsOf: TypeAlias = Callable[[Name | CapturedCompile], Iterable[tuple[str, str]]]


def index_text(capture: Capture, texts_of: TextsOf) -> str:
    """The text for a capture that is in memory, with links to the texts that there are of each function and compile."""
    index = IndexText(texts_of)
    tell(capture, index)
    return "".join(index.pieces(capture))


class IndexText:
    """A listener that makes the text: it keeps what is said, not what it is said of."""

    def __init__(self, texts_of: TextsOf) -> None:
        self._texts_of = texts_of
        self._functions: list[str] = []
        self._happened = Happened()
        self._compiles: list[str] = []  # from here on: of the function that is being told
        self._entries: list[EntryKind] = []
        self._breaks: set[GraphBreak] = set()

    def take_compile(self, compile_: CapturedCompile, entries: tuple[Entry, ...]) -> None:
        """Take what the index says of a compile."""
        self._compiles += ["", *_compile(compile_, entries, self._texts_of(compile_))]
        self._entries += [entry.kind for entry in entries]
        self._breaks |= breaks_of((compile_.compile,))
        self._happened.add(compile_.function, compile_.compile)

    def take_function(self, rest: Function) -> None:
        """Take what the index says of a function, which stands above its compiles."""
        for compile_ in known_or(rest.compiles, ()):
            self._happened.add(rest.key, compile_)
        entries = [*self._entries, *(entry.kind for entry in rest.entries)]
        breaks = len(self._breaks | breaks_of(rest.compiles))
        links = list(_links(self._texts_of(rest.key)))
        head = [*_heading(rest, entries, breaks), *([""] if links else []), *links]
        self._functions.append("\n".join([*head, *self._compiles, ""]))
        self._compiles, self._entries, self._breaks = [], [], set()

    def pieces(self, capture: Capture) -> Iterator[str]:
        """The whole, when all functions were told: of `capture`, what it says besides them."""
        before = None
        for piece in chain([_head(capture, nothing=not self._functions)], self._functions, self._tail(capture)):
            if before is not None:
                yield f"{before}\n"
            before = piece
        yield f"{(before or '').rstrip()}\n"

    def _tail(self, capture: Capture) -> Iterator[str]:
        yield from _block("Failed compiles", self._happened.failure_lines())
        yield from _block("Graph breaks", self._happened.break_lines())
        yield from _block("Recompiles", self._happened.recompile_lines())
        yield from _section("Outside of Dynamo's compiles", [f"[{path}]({path})" for path in capture.outside])
        yield from _section("Other processes", [f"[{name}](processes/{name}/index.md)" for name in capture.processes])
        yield from _section("What was lost", map(words, capture.report.losses))
        yield from _section("Records of torch's trace that are not kept as such", map(words, capture.left_out))


def _head(capture: Capture, *, nothing: bool) -> str:
    report = capture.report
    lines = [f"# What torch.compile did (torch {report.torch_version}, Python {report.python_version})", ""]
    if not capture.finished:
        lines += ["The program has not ended, or was ended from outside: what is written at its end is missing.", ""]
        lines += ["What had been compiled is in `functions`.", ""] if nothing else []
    elif nothing:
        what = "Dynamo compiled nothing" if capture.outside else "Nothing was compiled"
        known = ", as far as is known: see what was lost" if capture.report.losses else ""
        lines += [what + (" here: see the other processes." if capture.processes else f"{known}."), ""]
    return "\n".join(lines)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = [f"- {line}" for line in lines]
    if found:
        yield "\n".join([f"## {title}", "", *found, ""])


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield "\n".join([f"## {title}", "", "```text", *found, "```", ""])


def _heading(function: Function, entries: list[EntryKind], breaks: int) -> Iterator[str]:
    yield f"## {words(function.key)}"
    yield ""
    resume = function.resume
    what = "a function" if resume is None else f"the rest of {code(resume.of)}, from {_place(resume.place)}"
    numbers = _numbers(entries, breaks) if entries else f"no cache entries: {state(function)}"
    if entries and function.status.state != "compiled":
        numbers += f"; {state(function)}"
    yield f"{what}, {defined(function.place, code)}; {words(numbers)}"


def _place(place: Maybe[Place]) -> str:
    return words(str(place)) if isinstance(place, Unknown) else code(where(place))


def _links(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"- [{path.rpartition('/')[2]}]({path}): {what}" for path, what in texts)


def _numbers(entries: list[EntryKind], breaks: int) -> str:
    return entries_counted(entries) + (f", {count(breaks, 'graph break')}" if breaks else "")


def _compile(compile_: CapturedCompile, entries: tuple[Entry, ...], texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    made = (*by_autograd([compile_.compile]), *_hits(compile_.caches), *around([compile_.compile]))
    outcome = ", ".join([fact(compile_.compile.outcome), *made])
    name = f"{compile_.function}, compile {compile_.number}"
    yield f"### {words(f'{name}: {outcome}')}, entered from {_place(compile_.entered)}"
    yield ""
    entry = next(iter(entries), None)
    if entry is not None and not isinstance(entry.code, Unknown):
        yield f"- [transformed.py]({compile_.path}/transformed.py): what runs in its place ({entry.code.verdict})"
    yield from _links(texts)
    last = max((one.attempt for one in compile_.artifacts), default=0)
    for artifact in compile_.artifacts:
        counts = artifact.attempt == last or artifact.origin in _OF_ANY_ATTEMPT
        if counts and artifact.suffix != ".json":
            yield _artifact(artifact, compile_)
    if last:
        yield f"- Dynamo began anew {count(last, 'time')}: attempt_0 … hold what it had made"


def _hits(lookups: Sequence[CacheLookup]) -> Iterator[str]:
    """`FX graph cache hit`; of several pieces of one graph `FX graph cache hit (2 of 3)`."""
    asked = Counter(one.cache for one in lookups)
    for (cache, result), times in Counter((one.cache, one.result) for one in lookups if one.result != "miss").items():
        yield f"{cache} cache {result}" + (f" ({times} of {asked[cache]})" if asked[cache] > 1 else "")


def _artifact(artifact: Artifact, compile_: CapturedCompile) -> str:
    name = f"{artifact.name}{artifact.suffix}"
    said = ", of ".join(filter(None, [meaning(artifact), words(part_of(artifact, compile_))]))
    said = f": {said}" if said else ""
    if isinstance(artifact.text, Unknown) and artifact.text != IN_FILE:
        return f"- {name}{said}, left out: {words(artifact.text.reason)}"
    return f"- [{name}]({artifact.path}){said}"
