"""`a, b, c = x, y, z`: two or three values of all kinds to two or three targets of all kinds, which take no tuple."""

from __future__ import annotations

import itertools
from types import CodeType

import pytest

from unjit.decompiler import Verdict, decompile

VALUES = ["0", "a", "g()", "[]", "a.y", "a + b"]
TARGETS = [
    ("x", "y", "z"),
    ("self.x", "self.y", "self.z"),
    ("x", "self.y", "z"),
    ("self.x", "y", "z"),
    ("x", "y", "self.z"),
    ("a", "b", "c"),
    ("b", "c", "a"),
]


def code_of(statement: str) -> CodeType:
    text = f"def function(self, a, b, c):\n    {statement}\n    return a\n"
    module = compile(text, "assignments", "exec", dont_inherit=True)
    return next(const for const in module.co_consts if isinstance(const, CodeType))


@pytest.mark.parametrize("targets", TARGETS, ids=", ".join)
def test_all_at_once(targets):
    kinds = [itertools.product(VALUES, repeat=count) for count in (2, 3)]
    statements = [f"{', '.join(targets[: len(values)])} = {', '.join(values)}" for k in kinds for values in k]
    answers = {statement: decompile(code_of(statement)).verdict for statement in statements}
    assert [statement for statement, verdict in answers.items() if verdict is not Verdict.IDENTICAL] == []
