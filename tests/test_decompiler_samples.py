"""Minimised findings: none is opaque or has a part that nobody wrote, and each does what the original does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from behaviour import assert_same
from catalogue_states import codes_of
from unjit.decompiler import Verdict, decompile

SAMPLES = Path(__file__).parent / "samples"

KEPT_ON = sys.version_info[:2] == (3, 11)  # where the samples were found: others compile some of them without the fault
SAME_CODE = re.compile(r"# compiles to the same code(?: since 3\.(\d+))?\n")  # so that words matter that do nothing
READS_WORSE = "# with a temporary: "  # with this first line it is proved, and has a part that nobody wrote


def compiles_to_the_same(text: str) -> bool:
    """Whether the sample says so, for this version."""
    said = SAME_CODE.search(text)
    return said is not None and sys.version_info >= (3, int(said[1] or 0))


def marked(file: Path) -> object:
    """The file as a parameter; expected to fail when its first line says that it is open, and why."""
    reason = re.match(r"# open: (.*)\n", file.read_text())
    marks = [pytest.mark.xfail(reason=reason[1], strict=KEPT_ON)] if reason else []
    return pytest.param(file, id=file.stem, marks=marks)


@pytest.mark.parametrize("file", [marked(file) for file in sorted(SAMPLES.glob("*.py"))])
def test_sample(file):
    code = codes_of(file).get("f")
    answer = decompile(code or compile(file.read_text(), file.name, "exec", dont_inherit=True))
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    assert not answer.synthetic.total or READS_WORSE in file.read_text(), answer.source
    assert answer.verdict is Verdict.IDENTICAL or not compiles_to_the_same(file.read_text()), answer.source
    if code is not None:  # a module is not run
        assert_same(code, answer.recompile())


def test_every_file_is_collected():
    assert {path.suffix for path in SAMPLES.iterdir() if path.name != "__pycache__"} == {".py"}
