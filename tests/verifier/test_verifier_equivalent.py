"""What must be found the same: other ways to write a function, and every function itself."""

from __future__ import annotations

import ast
import inspect

import pytest

from codes import function_code
from unjit.bytecode import with_nested
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer
from verifier_pairs import PAIRS

CANDIDATES = [(name, n) for name, texts in PAIRS.items() for n in range(1, len(texts))]
MODULES = ("ast", "asyncio.tasks", "contextlib", "dataclasses", "heapq", "inspect", "tarfile", "typing", "_strptime")


def source_of(module: str) -> str:
    return inspect.getsource(__import__(module, fromlist=["x"]))


@pytest.mark.parametrize(("name", "n"), CANDIDATES)
def test_another_way_to_write_it(name, n):
    original, candidate = function_code(PAIRS[name][0]), function_code(PAIRS[name][n])
    answer = compare(original, candidate)
    assert answer.verdict is not Verdict.DIFFERENT, answer.difference


@pytest.mark.parametrize("name", PAIRS)
def test_a_function_is_itself(name):
    code = function_code(PAIRS[name][0])
    assert compare(code, code).verdict is Verdict.IDENTICAL


@pytest.mark.parametrize("module", MODULES)
def test_walking_a_module_beside_itself(module):
    for code in with_nested(compile(source_of(module), module, "exec", dont_inherit=True)):
        answer = Comparer(trust_identity=False).compare(code, code, nested=False)
        assert answer.verdict is Verdict.EQUIVALENT, (code, answer.difference)


@pytest.mark.parametrize("module", MODULES)
def test_layout_does_not_count(module):
    source = source_of(module)
    original = compile(source, module, "exec", dont_inherit=True)
    candidate = compile(ast.unparse(ast.parse(source)), module, "exec", dont_inherit=True)
    answer = compare(original, candidate)
    assert answer.verdict is not Verdict.DIFFERENT, answer.difference


def test_time_grows_with_length_not_with_paths():
    names = [f"a{n}" for n in range(200)]
    defaults = "".join(f"    if {name} is None:\n        {name} = 1\n" for name in names)
    header = f"def f({', '.join(names)}):\n"
    inverted = "".join(f"    if {name} is not None:\n        pass\n    else:\n        {name} = 1\n" for name in names)
    answer = compare(function_code(header + defaults), function_code(header + inverted))
    assert answer.verdict is not Verdict.DIFFERENT, answer.difference
