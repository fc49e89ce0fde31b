"""How long a text is for a language model, without its tokenizer.

Tokenizers differ, and none is shipped here. So each run of letters counts as one token for every three of them, rounded
up, and each other character as one, or as one for each byte of it where it is not ASCII; a space before a word is
free, as it is a part of the word's token in all common tokenizers. These make longer tokens of most words, so the
estimate is rather too high than too low.
"""

from __future__ import annotations

import re
from typing import Final

_LETTERS_OF_A_TOKEN: Final = 3
_PIECES: Final = re.compile(r" ?([A-Za-z]+)|( +)|(.)", re.DOTALL)


def tokens(text: str) -> int:
    """At most how many tokens a text has, by this estimate."""
    return sum(map(_cost, _PIECES.finditer(text)))


def _cost(piece: re.Match[str]) -> int:
    letters, spaces, other = piece.groups()
    if letters:
        return -(-len(letters) // _LETTERS_OF_A_TOKEN)
    return 1 if spaces else len(other.encode("utf-8", "backslashreplace"))
