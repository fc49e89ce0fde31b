"""Expressions in expressions in statements, laid out as people and formatters do: all of it natural source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import expressions_in_statements
from test_decompiler_roundtrip import IDENTICAL, interpreter

ROOT = Path(__file__).resolve().parents[1]
HERE, ELSEWHERE, SEED = 3000, 1500, 7  # of 194,805


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_here():
    assert expressions_in_statements.unnatural(HERE, SEED) == []


@pytest.mark.parametrize("version", sorted(set(IDENTICAL) - {sys.version_info[:2]}), ids=lambda v: f"{v[0]}.{v[1]}")
def test_elsewhere(version):
    script = expressions_in_statements.__file__
    done = subprocess.run(
        [*interpreter(version), script, str(ELSEWHERE), str(SEED)],
        env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
