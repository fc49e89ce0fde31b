"""What of the samples does not come back as somebody would have written it.

Run as a script, it prints that as JSON: that is how the other interpreters take part.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from pathlib import Path

from catalogue_states import EXACT, codes_of, state
from unjit.decompiler import Decompiled, Verdict, decompile

SAMPLES = Path(__file__).parents[1] / "samples"
VERSIONS = r"(?: since 3\.(?P<first>\d+))?(?: up to 3\.(?P<last>\d+))?"
SAME_CODE = re.compile(f"# compiles to the same code{VERSIONS}\n")  # so that words matter that do nothing
SAME_TEXT = re.compile(f"# comes back as written{VERSIONS}\n")


def answer_of(file: Path) -> Decompiled:
    """Of the sample's function, or of the sample as a module."""
    code = codes_of(file).get("f")
    return decompile(code or compile(file.read_text(), file.name, "exec", dont_inherit=True))


def fault(file: Path) -> str | None:
    """What is wrong with the answer; None if nothing is."""
    text, answer = file.read_text(), answer_of(file)
    if answer.verdict is Verdict.OPAQUE:
        return answer.reason
    if answer.synthetic.total:
        return answer.source
    if _holds(SAME_CODE.search(text)) and answer.verdict is not Verdict.IDENTICAL:
        return answer.source
    return answer.source if _holds(SAME_TEXT.search(text)) and state(_written(text), answer) != EXACT else None


def _holds(said: re.Match[str] | None) -> bool:
    """Whether something is said of a sample, and of this Python."""
    return said is not None and int(said["first"] or 0) <= sys.version_info.minor <= int(said["last"] or 99)


def _written(text: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The sample's only function."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return next(found for found in ast.parse(text).body if isinstance(found, functions))


def faults() -> dict[str, str]:
    """By the name of the sample; those of newer syntax than this Python's are left out."""
    found = {}
    for file in sorted(SAMPLES.glob("*.py")):
        try:
            wrong = fault(file)
        except SyntaxError:
            continue
        if wrong is not None:
            found[file.stem] = wrong
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore", SyntaxWarning)
    print(json.dumps(faults()))
