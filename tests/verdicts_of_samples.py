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

SAMPLES = Path(__file__).parent / "samples"
SAME_CODE = re.compile(r"# compiles to the same code(?: since 3\.(\d+))?\n")  # so that words matter that do nothing
SAME_TEXT = re.compile(r"# comes back as written(?: since 3\.(\d+))?\n")
READS_WORSE = "# with a temporary: "  # with this first line it is proved, and has a part that nobody wrote
OPEN_SINCE = re.compile(r"# open since 3\.(\d+): ")  # with this line it may have no source from there on


def answer_of(file: Path) -> Decompiled:
    """Of the sample's function, or of the sample as a module."""
    code = codes_of(file).get("f")
    return decompile(code or compile(file.read_text(), file.name, "exec", dont_inherit=True))


def fault(file: Path) -> str | None:
    """What is wrong with the answer; None if nothing is."""
    text, answer = file.read_text(), answer_of(file)
    since = OPEN_SINCE.search(text)
    if since is not None and sys.version_info >= (3, int(since[1])):
        return None
    if answer.verdict is Verdict.OPAQUE:
        return answer.reason
    if answer.synthetic.total and READS_WORSE not in text:
        return answer.source
    if _holds(SAME_CODE.search(text)) and answer.verdict is not Verdict.IDENTICAL:
        return answer.source
    return answer.source if _holds(SAME_TEXT.search(text)) and state(_written(text), answer) != EXACT else None


def _holds(said: re.Match[str] | None) -> bool:
    """Whether something is said of a sample, and of this Python."""
    return said is not None and sys.version_info >= (3, int(said[1] or 0))


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
