"""Long lines broken where a good formatter would: at the longest outermost brackets, one item a line."""

from __future__ import annotations

import io
import itertools
import tokenize
from dataclasses import dataclass, field

WIDTH = 100
_INDENT = "    "
_OPEN, _CLOSE = "([{", ")]}"
_FSTRING = {getattr(tokenize, "FSTRING_START", -1): 1, getattr(tokenize, "FSTRING_END", -2): -1}


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
    if len(text) + indent <= WIDTH:
        return [text]
    group = _longest_outer_group(text)
    if group is None:
        return [text]
    comma = "," if group.commas and group.divisible else ""
    lines = [text[: group.start + 1]]
    for item in group.items(text):
        lines += [_INDENT + line for line in wrapped(item + comma, indent + len(_INDENT))]
    lines.append(text[group.end :])
    return lines


def _longest_outer_group(text: str) -> _Group | None:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    stack: list[_Group] = []
    found, in_fstring = None, 0
    for token in tokens:
        in_fstring += _FSTRING.get(token.type, 0)
        if in_fstring or token.type not in (tokenize.OP, tokenize.NAME):
            continue
        if token.string in ("for", "lambda") and stack:
            stack[-1].divisible = False
        elif token.string in _OPEN:
            stack.append(_Group(token.start[1]))
        elif token.string in _CLOSE:
            group = stack.pop()
            group.end = token.start[1]
            if not stack and group.items(text) and (found is None or group.length >= found.length):
                found = group
        elif token.string == "," and stack:
            stack[-1].commas.append(token.start[1])
    return found
