"""Expressions in expressions in statements, laid out as people and formatters do: all of it natural source."""

from __future__ import annotations

import json

import pytest

import expressions_in_statements
from elsewhere import on_each_other_python, said

HERE, ELSEWHERE, SEED = 3000, 1500, 7  # of 194,805


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_here():
    assert expressions_in_statements.unnatural(HERE, SEED) == []


@on_each_other_python
def test_elsewhere(version):
    assert json.loads(said(version, expressions_in_statements.__file__, str(ELSEWHERE), str(SEED))) == []
