"""English for what is told of values."""

from __future__ import annotations


def with_article(noun: str) -> str:
    """`an int`, `a list`; by how the word is spelt."""
    return f"{'an' if noun[:1].lower() in set('aeiou') else 'a'} {noun}"
