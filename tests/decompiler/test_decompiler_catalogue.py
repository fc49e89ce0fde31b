"""Tiny functions that are input and expected output at once."""

from __future__ import annotations

import pytest

import catalogue_states
from catalogue_states import CATALOGUE, EXACT, FILES, recorded, runs_here, states_of
from elsewhere import on_each_other_python, said


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_functions_come_back_as_they_are_written(file):
    """What is open is recorded; both a step back and a step forward that is not recorded fail."""
    if not runs_here(file):
        pytest.skip("its syntax is newer than this Python")
    states = {name: state for name, state in states_of(file).items() if state != EXACT}
    assert states == recorded().get(file.stem, {}), "record progress with `python tests/support/catalogue_states.py`"


@on_each_other_python
def test_elsewhere(version):
    otherwise = said(version, catalogue_states.__file__, "--check")
    assert otherwise == "", "record progress with `python tests/support/catalogue_states.py`, on that Python"


def test_every_file_is_collected():
    others = {path.name for path in CATALOGUE.iterdir()} - {file.name for file in FILES} - {"__pycache__"}
    assert all(name.startswith("open_") for name in others)
    assert set(recorded()) <= {file.stem for file in FILES}
