"""How well each function of tests/catalogue comes back, and what is not yet as it should be.

`python tests/support/catalogue_states.py` writes what is open on the running version to tests/catalogue/open_3_11.txt
and the like: one function per line, with its state. A function that is not listed comes back as it is written, layout
aside.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from pathlib import Path
from types import CodeType

from unjit.decompiler import Decompiled, Verdict, decompile

CATALOGUE = Path(__file__).parents[1] / "catalogue"
FILES = sorted(CATALOGUE.glob("*.py"))
OPEN = CATALOGUE / f"open_{sys.version_info.major}_{sys.version_info.minor}.txt"
EXACT = "exact"  # identical bytecode, the same syntax tree
REWORDED = "identical, in other words"


def runs_here(file: Path) -> bool:
    marker = re.match(r"# py>=3\.(\d+)\n", file.read_text())
    return marker is None or sys.version_info >= (3, int(marker[1]))


def states_of(file: Path) -> dict[str, str]:
    """The state of each function in the file."""
    tree = ast.parse(file.read_text())
    codes = codes_of(file)
    functions = [s for s in tree.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert len(functions) == len(tree.body) == len(codes), "a catalogue file holds functions of different names only"
    return {function.name: state(function, decompile(codes[function.name])) for function in functions}


def codes_of(file: Path) -> dict[str, CodeType]:
    module = compile(file.read_text(), file.name, "exec", dont_inherit=True)
    return {const.co_name: const for const in module.co_consts if isinstance(const, CodeType)}


def state(function: ast.FunctionDef | ast.AsyncFunctionDef, answer: Decompiled) -> str:
    if answer.verdict is not Verdict.IDENTICAL:
        return str(answer.verdict)
    written = ast.Module([function], [])
    return EXACT if ast.dump(ast.parse(answer.source)) == ast.dump(written) else REWORDED


def recorded() -> dict[str, dict[str, str]]:
    """File name to what is open in it."""
    found: dict[str, dict[str, str]] = {}
    for line in OPEN.read_text().splitlines() if OPEN.exists() else []:
        place, state_ = line.split(": ")
        file, name = place.split("/")
        found.setdefault(file, {})[name] = state_
    return found


def open_here() -> list[str]:
    """A line for each function that is open on this Python."""
    return [
        f"{file.stem}/{name}: {state_}"
        for file in FILES
        if runs_here(file)
        for name, state_ in states_of(file).items()
        if state_ != EXACT
    ]


def main() -> None:
    """With `--check` nothing is written: a line for each function that is recorded as something else, either way."""
    warnings.simplefilter("ignore", SyntaxWarning)
    lines = open_here()
    if sys.argv[1:] == ["--check"]:
        print("\n".join(sorted({*lines} ^ {*OPEN.read_text().splitlines()})), end="")
        return
    OPEN.write_text("".join(f"{line}\n" for line in lines))
    print(f"{len(lines)} open")


if __name__ == "__main__":
    main()
