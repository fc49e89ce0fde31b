"""How a comparison ends early."""

from __future__ import annotations


class Diverged(Exception):
    """The two programs may differ: why, in a sentence, and at which offset of the original."""

    def __init__(self, sentence: str, offset: int | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.offset = offset
