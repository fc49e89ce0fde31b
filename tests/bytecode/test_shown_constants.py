"""Constants as text: no code of the program runs for it, and the text is the same in each run."""

from __future__ import annotations

import dis
import io
import os
import subprocess
import sys
from types import ModuleType

import pytest

from unjit.bytecode.constants.shown import listable, shown
from unjit.decompiler import decompile
from unjit.decompiler.answer.opaque import opaque_source

REFUSING: list[str] = []  # filled while a test runs: only then the code of the constants must not


@pytest.fixture(autouse=True)
def refusing():
    REFUSING.append("now")
    yield
    REFUSING.clear()  # the constants live on, and other tests look at all that is alive


def refuse(*_, **__):
    if REFUSING:
        raise RuntimeError("the program was called")
    return NotImplemented


def number(_):
    return 1 if not REFUSING else refuse()


def of_class(cls, name):
    refuse()
    return type.__getattribute__(cls, name)


METHODS = {"__repr__": refuse, "__eq__": refuse, "__lt__": refuse, "__getattr__": refuse, "__hash__": number}
Meta = type("Meta", (type,), {**METHODS, "__getattribute__": of_class})
Thing = type("Thing", (), METHODS)
Plain = type("Plain", (), {name: METHODS[name] for name in METHODS if name != "__repr__"})
Made = Meta("Made", (), {})
Named = type("Named", (tuple,), {"__module__": "torch"})
LAZY, LOADED = ModuleType("lazy"), ModuleType("loaded")
LAZY.__getattr__ = refuse
LOADED.__loader__ = Thing()
CONSTANTS = {
    "an object": Thing(),
    "an object with Python's repr": Plain(),
    "an object of a class with a metaclass": Made(),
    "a class with a metaclass": Made,
    "a list": [Thing(), Plain(), Made()],
    "a dict": {Plain(): Plain(), Plain(): Thing()},
    "a set": {Plain(), Plain(), 1},
    "a tuple of a class that calls itself torch's": Named([Thing()]),
    "a module that makes up what it lacks": LAZY,
    "a module with a loader": LOADED,
    "a slice": slice(1, Thing()),
}


def disassembled(constant):
    """The listing of code with this constant."""
    text = io.StringIO()
    dis.dis(listable(compile("0.5", "<test>", "eval").replace(co_consts=(constant,))), file=text)
    return text.getvalue()


@pytest.mark.parametrize("what", CONSTANTS)
def test_no_code_of_the_program_runs(what):
    assert disassembled(CONSTANTS[what])
    assert shown(CONSTANTS[what], 80)


@pytest.mark.parametrize("constant", [16**5000, -(16**5000), (16**5000,), range(16**5000), {16**5000}], ids=type)
def test_a_number_that_python_does_not_print_is_told(constant):
    assert disassembled(constant)
    assert len(shown(constant, 80)) < 300


def test_what_holds_much_is_told_in_short():
    nested = 1
    for _ in range(5):
        nested = [nested] * 50  # one object in all places: 50**5 parts
    assert len(disassembled(nested)) < 100_000


@pytest.mark.parametrize(
    "constant", [1, "a" * 300, (1, ("b", None)), [1.5, {"z": 1, "a": 2}], slice(1, 2), range(3)], ids=repr
)
def test_what_is_plain_stands_as_python_has_it(constant):
    assert repr(constant) in disassembled(constant)


def test_a_set_stands_in_the_same_order_in_each_run():
    program = (
        "import dis\nfrom unjit.bytecode.constants.shown import listable\ndis.dis(listable(compile(%r, '', 'eval')))"
    )
    source = "x in {'alpha', 'beta', 'gamma', 1, None} or (x in {'b', 'a', 'c'})"
    listings = {
        subprocess.run(
            [sys.executable, "-c", program % source],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12345"
    }
    assert len(listings) == 1
    assert "frozenset({'a', 'b', 'c'})" in listings.pop()


@pytest.mark.parametrize("constant", [object(), [object()], {"a": (object(),)}, slice(object()), refuse], ids=type)
def test_addresses_are_not_told(constant):
    """Each run has others."""
    assert " at 0x" not in shown(constant, 80)
    assert " at 0x" not in disassembled(constant)
    assert " at 0x" not in shown((constant, refuse.__code__), 80)


def test_a_text_that_reads_as_an_address_stays():
    like_code = "<a at 0x12, file "
    for constant in ("<a at 0x12>", b"<a at 0x12>", (like_code, object()), like_code.encode(), slice(like_code)):
        assert "at 0x12" in shown(constant, 80)


def exits_in_two_places(x):
    for one in x:
        try:
            if one:
                one("HERE")
                return "HERE"
        finally:
            x("HERE")
    return "HERE"


@pytest.mark.parametrize("what", [what for what in CONSTANTS if "metaclass" not in what])
def test_no_code_of_the_program_runs_where_it_is_decompiled(what):
    code = exits_in_two_places.__code__
    code = code.replace(co_consts=tuple(CONSTANTS[what] if one == "HERE" else one for one in code.co_consts))
    assert "HERE" not in decompile(code).source
    assert opaque_source(code, "for this test")
