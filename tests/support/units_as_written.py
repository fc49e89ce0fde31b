"""What of tests/units does not come back as it is written: each file is a module, input and expected output at once.

Run as a script, it prints that as JSON: that is how the other interpreters take part.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from pathlib import Path

from catalogue_states import runs_here
from unjit.bytecode import with_nested
from unjit.decompiler import Verdict, decompile

UNITS = sorted((Path(__file__).parents[1] / "units").glob("*.py"))
OPEN_SINCE = re.compile(r"# open since 3\.(\d+): ")  # with this line it may have no source from there on


def fault(file: Path) -> str | None:
    """What is wrong with the answer; None if nothing is."""
    text = file.read_text()
    if _is_open(text):
        return None
    answer = decompile(compile(text, "unit.py", "exec", dont_inherit=True))
    if answer.verdict is not Verdict.IDENTICAL:
        return f"{answer.verdict}: {answer.reason}"
    return None if ast.unparse(ast.parse(answer.source)) == ast.unparse(ast.parse(text)) else str(answer.source)


def _is_open(text: str) -> bool:
    since = OPEN_SINCE.search(text)
    return since is not None and sys.version_info >= (3, int(since[1]))


def without_source(file: Path) -> dict[str, str | None]:
    """Of the code in the module what has no source by itself, and why; comprehensions and hidden functions as well."""
    if _is_open(file.read_text()):
        return {}
    module = compile(file.read_text(), "unit.py", "exec", dont_inherit=True)
    answers = {code.co_name: decompile(code) for code in with_nested(module) if code is not module}
    return {name: answer.reason for name, answer in answers.items() if answer.verdict is Verdict.OPAQUE}


def faults() -> dict[str, str]:
    """By the name of the file."""
    found = {file.stem: fault(file) or without_source(file) for file in UNITS if runs_here(file)}
    return {name: str(wrong) for name, wrong in found.items() if wrong}


if __name__ == "__main__":
    warnings.simplefilter("ignore", SyntaxWarning)
    print(json.dumps(faults()))
