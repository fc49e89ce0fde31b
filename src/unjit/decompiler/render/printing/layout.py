"""Long lines broken where a good formatter would: at the longest outermost brackets, one item a line."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from unjit.decompiler.render.printing.brackets import DIVIDED
from unjit.decompiler.render.printing.strings import STRING

WIDTH = 100
_INDENT = "    "
_OPEN, _CLOSE = "([{", ")]}"
_INDIVISIBLE = ("for", "lambda")
_SHORT = 12  # what brackets hold at least if breaking there is to make a line shorter
# Strings, to skip them, and what decides about breaking. Each begins with a character of its own: the rest of a line is
# then skipped in C, which halves the time of a search.
_WORDS = r"for(?<!\wfor)\b|lambda(?<!\wlambda)\b"
_NEITHER = r"""[^()\[\]{}'"]*"""  # no brackets, no strings
_ONE_PAIR = re.compile(rf"{_NEITHER}[(\[{{]({_NEITHER})[)\]}}]{_NEITHER}")
_COMMA = re.compile(",")
_TOKENS = re.compile(rf"{STRING}|\(|\)|\[|\]|\{{|\}}|,|{_WORDS}", re.DOTALL)


@dataclass
class _Group:
    """A bracket pair in a line: where it opens and closes, and the commas directly in it."""

    start: int
    end: int = 0
    commas: list[int] = field(default_factory=list)
    divisible: bool = True  # a comprehension's or lambda's commas divide nothing

    @property
    def length(self) -> int:
        return self.end - self.start

    def items(self, text: str) -> list[str]:
        cuts = [self.start, *(self.commas if self.divisible else []), self.end]
        parts = [text[a + 1 : b].strip() for a, b in itertools.pairwise(cuts)]
        return [part for part in parts if part]


def wrapped(text: str, indent: int) -> list[str]:
    """`text` as one or more lines, none longer than WIDTH where brackets allow it."""
    lines = _wrapped(text, indent)
    if DIVIDED in text:
        lines = [part for line in lines for part in _divided(line)]
    return lines


def _divided(line: str) -> list[str]:
    """A line as several, where it is to be divided."""
    first, *rest = line.split(DIVIDED)
    within = first[: len(first) - len(first.lstrip())] + _INDENT
    return [first, *(within + part.strip() for part in rest)]


def _wrapped(text: str, indent: int) -> list[str]:
    if len(text) + indent <= WIDTH:
        return [text]
    group = _only_group(text) or _longest_outer_group(text)
    if group is None:
        return [text]
    comma = "," if group.commas and group.divisible else ""
    lines = [text[: group.start + 1]]
    within = indent + len(_INDENT)
    for item in group.items(text):
        if len(item) + within < WIDTH:  # with a comma it may be as long
            lines.append(_INDENT + item + comma)
        else:
            lines += [_INDENT + line for line in _wrapped(item + comma, within)]
    lines.append(text[group.end :])
    return lines


def _longest_outer_group(text: str) -> _Group | None:
    """The brackets to break at, if there are any."""
    depth, group = 0, _Group(0)
    found: _Group | None = None
    for match in _TOKENS.finditer(text):
        piece = match.group()
        if piece in _OPEN:
            depth += 1
            if depth == 1:
                group = _Group(match.start())
        elif depth == 0:
            continue
        elif piece in _CLOSE:
            depth -= 1
            if depth == 0:
                group.end = match.start()
                if group.length > _SHORT and (found is None or group.length >= found.length):
                    found = group
        elif depth == 1 and piece == ",":
            group.commas.append(match.start())
        elif depth == 1 and piece in _INDIVISIBLE:
            group.divisible = False
    return found


def _only_group(text: str) -> _Group | None:
    """The one pair of brackets in a line where nothing but commas decides, as in most headers."""
    pair = _ONE_PAIR.fullmatch(text)
    if pair is None or len(pair[1]) < _SHORT or _INDIVISIBLE[0] in text or _INDIVISIBLE[1] in text:
        return None
    start, end = pair.span(1)
    return _Group(start - 1, end, [comma.start() for comma in _COMMA.finditer(text, start, end)])
