"""Decompiled code, recompiled, does what the original does: same events, same end, wherever an exception strikes."""

from __future__ import annotations

import pytest

from behaviour import assert_same
from catalogue_states import FILES, codes_of, runs_here
from unjit.decompiler import Verdict, decompile

DOES_NOT_RUN = {"imports", "implicit_none"}  # they import modules that do not exist


@pytest.mark.parametrize("file", [f for f in FILES if runs_here(f)], ids=lambda file: file.stem)
def test_catalogue_runs_alike(file):
    for name, code in codes_of(file).items():
        answer = decompile(code)
        if name not in DOES_NOT_RUN and answer.verdict is not Verdict.IDENTICAL:
            assert_same(code, answer.recompile(), range(2))
