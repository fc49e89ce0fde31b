"""Standard library in, standard library out: a sample of files, on every interpreter that is installed.

Run as a script, it prints the verdicts of the sample as JSON: that is how the other interpreters take part.
"""

from __future__ import annotations

import ast
import json
import random
import sys
import warnings
from pathlib import Path
from types import CodeType

SEED = 3
# What the sample must at least have, in percent of its functions. Only ever raised.
IDENTICAL = {(3, 10): 98.0, (3, 11): 98.0, (3, 12): 97.5, (3, 13): 98.0, (3, 14): 98.0, (3, 15): 98.0}
# Python's tests of its own statements, beside each sample.
TESTS = "asyncio/test_taskgroups", "except_star", "exceptions", "generators", "grammar", "opcodes", "patma", "with"
# Functions that come back with a variable that nobody wrote.
UNNATURAL = {"test_break_in_finally_after_return", "test_patma_168", "test_patma_172"}


def sampled(count: int) -> list[Path]:
    library = Path(ast.__file__).parent
    out = {"site-packages", "__pycache__", "idlelib", "lib2to3"}
    return random.Random(SEED).sample([p for p in sorted(library.rglob("*.py")) if not out & {*p.parts}], count)


def of_statements() -> list[Path]:
    tests = Path(ast.__file__).parent / "test"
    return [file for name in TESTS if (file := tests / f"test_{name}.py").is_file()]


def functions_in(module: CodeType) -> list[CodeType]:
    """The outermost functions, methods included; comprehensions belong to the module or class around them."""
    found: list[CodeType] = []
    for const in module.co_consts:
        if isinstance(const, CodeType) and not const.co_flags & 1:
            found += functions_in(const)
        elif isinstance(const, CodeType) and not const.co_name.startswith("<"):
            found.append(const)
    return found


def verdicts(files: list[Path]) -> list[tuple[str, str, str]]:
    """Of every function: where it is, its verdict, why that is no better; of one with a variable of ours its name."""
    from unjit.decompiler import decompile

    found = []
    for file in files:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = compile(file.read_bytes(), file.name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        for code in functions_in(module):
            place = f"{file.name}:{code.co_firstlineno} {code.co_name}"
            try:
                answer = decompile(code)
            except Exception as error:
                found.append((place, "raised", repr(error)))
            else:
                found.append((place, str(answer.verdict), answer.reason or ""))
                if answer.synthetic.temporaries + answer.synthetic.selectors:
                    found[-1] = (place, "unnatural", code.co_name)
    return found


def judge(found: list[tuple[str, str, str]], version: tuple[int, int]) -> None:
    worse = [(place, verdict, why) for place, verdict, why in found if verdict in ("raised", "opaque", "unnatural")]
    assert [entry for entry in worse if entry[1] != "unnatural" or entry[2] not in UNNATURAL] == []
    identical = sum(verdict == "identical" for _, verdict, _ in found)
    assert 100 * identical / len(found) >= IDENTICAL[version], f"{identical} of {len(found)}"


if __name__ == "__main__":
    print(json.dumps(verdicts([*sampled(int(sys.argv[1])), *of_statements()])))
else:
    import pytest

    from elsewhere import on_each_other_python, said

    @pytest.mark.smoke
    def test_five_files():
        found = verdicts(sampled(5))
        assert len(found) > 20
        assert [entry for entry in found if entry[1] in ("raised", "opaque")] == []

    def test_sixty_files():
        judge(verdicts([*sampled(60), *of_statements()]), sys.version_info[:2])

    @on_each_other_python
    def test_twenty_files_elsewhere(version):
        judge(json.loads(said(version, __file__, "20")), version)
