"""What in a capture is worth acting on, most important first, in as many tokens as a reader can spare."""

from __future__ import annotations

import itertools
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from unjit.model import (
    Abbreviation,
    Capture,
    CapturedCompile,
    Concern,
    Function,
    KeptForBackward,
    Maybe,
    Place,
    Unknown,
)
from unjit.render.captures.kept import kept_by_line, kept_bytes, kept_in_all, not_known
from unjit.render.captures.run import headline
from unjit.render.captures.tokens import tokens
from unjit.render.forms.outline import count, fact, listed
from unjit.render.forms.places import without_origin
from unjit.render.forms.printable import on_one_line
from unjit.render.functions.compiles import wrapped
from unjit.render.functions.summary import summary_line
from unjit.render.times.phases import MEANING, alone

LEAST_TOKENS = 300  # for the headline and what was left out
_LONGEST_PATH = 60  # tokens of a path, above which its last part must do
_MOST = 300  # characters of one line
_LEAST = 100  # characters of whole sentences that are enough: else what is cut ends within one
_SLOWEST = 3
_AROUND = "dynamo"  # lies around what torch measures as the time of a compile: it can be longer than that
_MOST_CALLERS = 3  # that are told of what is in a library
_OF_LIBRARIES = ("<site-packages>", "<packages>", "<python>")  # among the words for folders
_NOUNS = {  # for what may be left out, where it is not the kind itself
    "failed": ("failed compile", ""),
    "recompile limit": ("function at the recompile limit", "functions at the recompile limit"),
    "not compiled": ("uncompiled function", ""),
    "break in a loop": ("break in a loop", "breaks in loops"),
    "no CUDA graph": ("graph without CUDA graphs", "graphs without CUDA graphs"),
    "small graph": ("function with small graphs", "functions with small graphs"),
    "not recovered": ("entry without source", "entries without source"),
    "kept": ("list of what is kept for a backward", "lists of what is kept for a backward"),
    "loss": ("loss", "losses"),
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One fact: its section, what it is counted as when it is left out, and its lines, of which the first may do."""

    section: str
    noun: str
    lines: tuple[str, ...]

    def short(self) -> _Part:
        """With lines that are cut where they are long."""
        return replace(self, lines=tuple(map(_short, self.lines)))


def brief(capture: Capture, concerns: Iterable[Concern], *, max_tokens: int, where: str = "the directory") -> str:
    """The text; `where` names the directory in which everything is. ValueError if there is no room for anything."""
    if max_tokens < LEAST_TOKENS:
        raise ValueError(f"a summary needs at least {LEAST_TOKENS} tokens")
    if capture.finished:  # else it may have none
        where = f"{where}/index.md"
    acting = list(_worth_acting_on(capture, concerns))
    others = [*_functions(capture), *_times(capture), *_kept(capture), *_losses(capture)]
    text, left_out = _in(max_tokens, capture, acting, others, where)
    if left_out:  # lines are cut where there is no room for all
        text, _ = _in(max_tokens, capture, [one.short() for one in acting], [one.short() for one in others], where)
    return text


def _in(
    max_tokens: int, capture: Capture, acting: list[_Part], others: list[_Part], where: str
) -> tuple[str, Counter[str]]:
    """The text, and what there was no room for."""
    worst = _rest(Counter(part.noun for part in (*acting, *others)), where)
    folders = list(_folders(capture, acting))
    aside = _asides(folders, max_tokens)
    page = _Page(list(_head(capture, where.removesuffix("/index.md"))), max_tokens - sum(map(_cost, worst)) - aside)
    taken = sum(1 for _ in itertools.takewhile(page.take, acting))
    left_out = Counter(part.noun for part in acting[taken:])
    page.spare += aside
    for part in folders:
        page.take(part)
    left_out.update(part.noun for part in others if not page.take(part))
    return "\n".join([*page.lines, *_rest(left_out, where)]) + "\n", left_out


class _Page:
    """Lines, as long as there is room for them."""

    def __init__(self, lines: list[str], most: int) -> None:
        self.lines = lines
        self.spare = most - sum(map(_cost, lines))
        self._section = ""

    def take(self, part: _Part) -> bool:
        """Add a part, or its first line, if there is room."""
        heading = [] if part.section == self._section else ["", f"{part.section}:"]
        for chosen in (part.lines, part.lines[:1]):
            cost = sum(map(_cost, [*heading, *chosen]))
            if cost <= self.spare:
                self.lines += [*heading, *chosen]
                self.spare -= cost
                self._section = part.section
                return True
        return False


def _cost(line: str) -> int:
    return tokens(line) + 1


def _head(capture: Capture, directory: str) -> Iterator[str]:
    yield headline(capture.report, whole=capture.finished).removeprefix("unjit: ")
    if not capture.finished:
        yield "The program has not ended, or was ended from outside: what is written at its end is missing."
    if capture.run is not None and capture.run.raised is not None:
        yield f"It ended with {capture.run.raised}"
    if capture.processes:
        yield f"{count(len(capture.processes), 'other process', 'other processes')}, each with its own directory: " + (
            ", ".join(f"processes/{name}" for name in capture.processes[:4])
            + (", …" if len(capture.processes) > 4 else "")
        )
        if not capture.report.functions:
            yield _to_be_asked(capture, directory)
    if capture.run is not None and not isinstance(capture.run.folder, Unknown):
        yield f"Paths are seen from {_path(capture.run.folder)}."


def _to_be_asked(capture: Capture, directory: str) -> str:
    """Which other processes to look at, where this one compiled nothing."""
    names = [str(name) for name in capture.processes]
    parted = sum(name.startswith("rank_") for name in names) > 1
    merged = f"; where ranks diverge: unjit merge {_path(directory)}" if parted else ""
    folder = _path(f"{directory}/processes/{names[0]}")
    return f"This process compiled nothing. What another did: unjit summary {folder}{merged}"


def _rest(left_out: Counter[str], where: str) -> list[str]:
    said = [count(number, *_NOUNS.get(noun, (noun, ""))) for noun, number in left_out.items()]
    return ["", f"Left out: {', '.join([*said, 'graphs, guards, code and kernels'])}: see {_path(where)}"]


def _path(path: str) -> str:
    return path if tokens(path) <= _LONGEST_PATH else f"…/{PurePath(path).name[-_LONGEST_PATH:]}"


def _worth_acting_on(capture: Capture, concerns: Iterable[Concern]) -> Iterator[_Part]:
    functions = {function.key: function for function in capture.report.functions}
    for one in concerns:
        met = f" ({count(len(one.paths), 'compile')})" if len(one.paths) > 1 else ""
        lines = [f"- {_at(one.place, capture)}{_wraps(one, functions.get(one.function))}: {one.kind}: {one.what}{met}"]
        if not isinstance(one.place, Unknown) and not isinstance(one.place.code, Unknown) and one.place.code:
            lines.append(f"    line: {one.place.code}")
        if one.callers:
            lines.append(f"    called from {', '.join(_at(caller, capture) for caller in one.callers[:_MOST_CALLERS])}")
        if one.advice is not None:
            lines.append(f"    to do: {one.advice}")
        if one.paths:
            lines.append(f"    see: {one.paths[0]}")
        yield _Part("Worth acting on", one.kind, tuple(map(_on_one_line, lines)))


def _wraps(concern: Concern, function: Function | None) -> str:
    """What a decorator's wrapper was compiled for: its own name and place say nothing of the program."""
    if function is None or isinstance(function.compiles, Unknown) or not (names := wrapped(function.compiles)):
        return ""
    is_in_it = isinstance(concern.place, Unknown) or _spot(concern.place) == _spot(function.place)
    return f", {'around' if is_in_it else 'in the compile of'} {listed(names)}"


def _spot(place: Place) -> tuple[str, str]:
    """The file, and the bare name of the function."""
    return place.file, str(place.written_in).rpartition(".")[2]


def _asides(parts: list[_Part], most: int) -> int:
    """What room to leave for these, whatever comes before them: none where there is little for all."""
    cost = sum(_cost(line) for part in parts for line in ("", f"{part.section}:", *part.lines))
    return cost if cost <= most / 10 else 0


def _folders(capture: Capture, parts: list[_Part]) -> Iterator[_Part]:
    """What the words for folders mean that are in these parts."""
    for one in _libraries(capture):
        if any(f" {one.word}/" in line for part in parts for line in part.lines):
            yield _Part("Folders", "folder", (f"- {one.word} is {_path(str(one.folder))}",))


def _functions(capture: Capture) -> Iterator[_Part]:
    for function in capture.report.functions:
        if function.entries or function.compiles:
            yield _Part("Functions", "function", (_on_one_line(f"- {_function(function, capture)}"),))


def _function(function: Function, capture: Capture) -> str:
    graphs = [graph.operations for entry in function.entries for graph in entry.graphs]
    known = [number for number in graphs if not isinstance(number, Unknown)]
    operations = [f"{count(sum(known), 'operation')} in its graphs"] if known else []
    kernels = sum(len(one.kernels) for one in capture.compiles if one.function == function.key)
    compiled = [count(kernels, "kernel")] if kernels else []
    key, _, rest = summary_line(function, *operations, *compiled).split("  ", 2)
    return f"{key} ({_at(function.begins, capture)}): {rest}"


def _times(capture: Capture) -> Iterator[_Part]:
    timed = [(one, one.compile.seconds) for one in capture.compiles]
    known = [(seconds, one) for one, seconds in timed if not isinstance(seconds, Unknown)]
    for seconds, one in sorted(known, key=lambda pair: -pair[0])[:_SLOWEST]:
        text = f"- {seconds:.2f} s: {one.function}, compile {one.number}{_longest(one, capture)}"
        yield _Part("Slowest compiles", "compile time", (_on_one_line(text),))


def _kept(capture: Capture) -> Iterator[_Part]:
    """What forward graphs keep for their backward, the graphs that keep the most, each with its largest lines."""
    found = [(kept, one) for one in capture.compiles for kept in one.kept if kept.memory]
    found.sort(key=lambda pair: -kept_bytes(pair[0]))
    for kept, one in found[:_SLOWEST]:
        which = "" if kept.half == "backward" else f" ({kept.half})"
        text = f"- {one.function}, compile {one.number}{which}: {kept_in_all(kept)}{_kept_lines(kept, capture)}"
        yield _Part("Kept for the backward", "kept", (_on_one_line(text),))
    unknown = ((one, reason) for one in capture.compiles for reason in not_known(one))
    for one, reason in itertools.islice(unknown, _SLOWEST):
        text = f"- {one.function}, compile {one.number}: not known: {reason}"
        yield _Part("Kept for the backward", "kept", (_on_one_line(text),))


def _kept_lines(kept: KeptForBackward, capture: Capture) -> str:
    lines = kept_by_line(kept)
    if len(lines) == 1:
        return f": all memory from {_at(lines[0].place, capture)}"
    return ": " + "; ".join(f"{line.told} from {_at(line.place, capture)}" for line in lines[:_SLOWEST])


def _longest(compile_: CapturedCompile, capture: Capture) -> str:
    """The phases in which most of the time went, each without those within it."""
    runs = [one for one in (capture.run.compiles if capture.run else ()) if one.path == compile_.path]
    spent: defaultdict[str, float] = defaultdict(float)
    for phase, seconds in (found for one in runs for found in alone(one.phases)):
        if phase.name != _AROUND:
            spent[str(phase.name)] += seconds
    longest = sorted(spent.items(), key=lambda one: -one[1])[:_SLOWEST]
    return "".join(f", {_phase(name)} {seconds:.2f} s" for name, seconds in longest)


def _phase(name: str) -> str:
    return f"{name} ({MEANING[name]})" if name in MEANING else name


def _losses(capture: Capture) -> Iterator[_Part]:
    for loss in capture.report.losses:
        yield _Part("Not known", "loss", (_on_one_line(f"- {loss}"),))


def _at(place: Maybe[Place], capture: Capture) -> str:
    """`train.py:12 in forward`, from where the program was started; what is in a library from where that is."""
    if isinstance(place, Unknown):
        return str(place)
    function = "" if isinstance(place.written_in, Unknown) else f" in {place.written_in}"
    return f"{on_one_line(str(_seen(PurePath(without_origin(place.file)), capture)))}:{fact(place.line)}{function}"


def _seen(path: PurePath, capture: Capture) -> PurePath:
    for one in _libraries(capture):
        if path.is_relative_to(str(one.folder)):
            return PurePath(one.word) / path.relative_to(str(one.folder))
    folder = None if capture.run is None else capture.run.folder
    return path.relative_to(folder) if isinstance(folder, str) and path.is_relative_to(folder) else path


def _libraries(capture: Capture) -> list[Abbreviation]:
    """The folders of Python's and other people's code, as `run.json` abbreviates them, the longest first."""
    folders = [] if capture.run is None else [one for one in capture.run.folders if one.word in _OF_LIBRARIES]
    known = [one for one in folders if not isinstance(one.folder, Unknown)]
    return sorted(known, key=lambda one: -len(str(one.folder)))


def _on_one_line(text: str) -> str:
    return text[: len(text) - len(text.lstrip())] + " ".join(text.split())


def _short(text: str) -> str:
    indent = text[: len(text) - len(text.lstrip())]
    cut = textwrap.shorten(text, _MOST, placeholder=" …")
    sentences = cut.rpartition(". ")[0] if cut.endswith(" …") else ""
    return indent + (cut if len(sentences) < _LEAST else f"{sentences}. …")
