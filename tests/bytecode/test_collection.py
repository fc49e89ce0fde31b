"""The garbage collector waits while many objects are made, and is the program's own afterwards."""

from __future__ import annotations

import gc
import threading

import pytest

from unjit.collection import collection_paused


@pytest.fixture(autouse=True)
def as_it_was():
    before, enabled = gc.get_threshold(), gc.isenabled()
    gc.enable()
    yield
    gc.set_threshold(*before)
    (gc.enable if enabled else gc.disable)()


def collections_of(number):
    """How many collections began while so many objects were made and kept."""
    begun = []
    gc.callbacks.append(lambda phase, _info: begun.append(phase))
    try:
        kept = [[] for _ in range(number)]
    finally:
        gc.callbacks.pop()
    assert len(kept) == number
    return begun.count("start")


@pytest.mark.parametrize("alone", [True, False])
def test_no_collection_begins_in_the_block_whoever_else_runs(alone):
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    if not alone:
        other.start()
    try:
        with collection_paused():
            inside = collections_of(50_000)
        assert (inside, collections_of(50_000) > 0) == (0, True)
    finally:
        over.set()


def test_blocks_nest_and_an_error_ends_them():
    before = gc.get_threshold()
    with collection_paused():
        with pytest.raises(ZeroDivisionError), collection_paused():
            _ = 1 / 0
        assert collections_of(50_000) == 0
    assert gc.get_threshold() == before


def test_what_is_set_meanwhile_stays():
    with collection_paused():
        gc.set_threshold(500, 5, 5)
    assert gc.get_threshold() == (500, 5, 5)
    with collection_paused():
        gc.disable()
    assert not gc.isenabled()
    gc.enable()


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_a_program_that_waits_longer_keeps_its_own(first):
    gc.set_threshold(first, 10, 10)
    with collection_paused():
        assert gc.get_threshold()[0] == first
