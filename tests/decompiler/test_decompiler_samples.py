"""Minimised findings: none is opaque or has a part that nobody wrote, and each does what the original does."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import verdicts_of_samples
from behaviour import assert_same
from catalogue_states import codes_of
from elsewhere import on_each_other_python, said
from verdicts_of_samples import SAMPLES, answer_of, fault

KEPT_ON = sys.version_info[:2] == (3, 11)  # where the samples were found: others compile some of them without the fault


def marked(file: Path) -> object:
    """The file as a parameter; expected to fail when its first line says that it is open, and why."""
    reason = re.match(r"# open: (.*)\n", file.read_text())
    marks = [pytest.mark.xfail(reason=reason[1], strict=KEPT_ON)] if reason else []
    return pytest.param(file, id=file.stem, marks=marks)


@pytest.mark.parametrize("file", [marked(file) for file in sorted(SAMPLES.glob("*.py"))])
def test_sample(file):
    try:
        assert fault(file) is None
    except SyntaxError:
        assert sys.version_info < (3, 11), "the newest syntax of a sample"
        pytest.skip("of newer syntax")
    code = codes_of(file).get("f")
    if code is not None:  # a module is not run
        assert_same(code, answer_of(file).recompile())


@on_each_other_python
def test_elsewhere(version):
    """Many a sample has its fault on other versions alone."""
    assert json.loads(said(version, verdicts_of_samples.__file__)) == {}


def test_every_file_is_collected():
    assert {path.suffix for path in SAMPLES.iterdir() if path.name != "__pycache__"} == {".py"}
