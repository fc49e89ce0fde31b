"""Tiny functions that are input and expected output at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import catalogue_states
from catalogue_states import CATALOGUE, EXACT, FILES, recorded, runs_here, states_of
from test_decompiler_roundtrip import IDENTICAL, interpreter

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_functions_come_back_as_they_are_written(file):
    """What is open is recorded; both a step back and a step forward that is not recorded fail."""
    if not runs_here(file):
        pytest.skip("its syntax is newer than this Python")
    states = {name: state for name, state in states_of(file).items() if state != EXACT}
    assert states == recorded().get(file.stem, {}), "record progress with `python tests/catalogue_states.py`"


@pytest.mark.parametrize("version", sorted(set(IDENTICAL) - {sys.version_info[:2]}), ids=lambda v: f"{v[0]}.{v[1]}")
def test_elsewhere(version):
    done = subprocess.run(
        [*interpreter(version), catalogue_states.__file__, "--check"],
        env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "record progress with `python tests/catalogue_states.py`, on that Python"


def test_every_file_is_collected():
    others = {path.name for path in CATALOGUE.iterdir()} - {file.name for file in FILES} - {"__pycache__"}
    assert all(name.startswith("open_") for name in others)
    assert set(recorded()) <= {file.stem for file in FILES}
