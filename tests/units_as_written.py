"""What of tests/units does not come back as it is written: each file is a module, input and expected output at once.

Run as a script, it prints that as JSON: that is how the other interpreters take part.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from pathlib import Path

from catalogue_states import runs_here
from unjit.decompiler import Verdict, decompile
from verdicts_of_samples import OPEN_SINCE

UNITS = sorted((Path(__file__).parent / "units").glob("*.py"))


def fault(file: Path) -> str | None:
    """What is wrong with the answer; None if nothing is."""
    text = file.read_text()
    since = OPEN_SINCE.search(text)
    if since is not None and sys.version_info >= (3, int(since[1])):
        return None
    answer = decompile(compile(text, "unit.py", "exec", dont_inherit=True))
    if answer.verdict is not Verdict.IDENTICAL:
        return f"{answer.verdict}: {answer.reason}"
    return None if ast.unparse(ast.parse(answer.source)) == ast.unparse(ast.parse(text)) else str(answer.source)


def faults() -> dict[str, str]:
    """By the name of the file."""
    found = {file.stem: fault(file) for file in UNITS if runs_here(file)}
    return {name: wrong for name, wrong in found.items() if wrong is not None}


if __name__ == "__main__":
    warnings.simplefilter("ignore", SyntaxWarning)
    print(json.dumps(faults()))
