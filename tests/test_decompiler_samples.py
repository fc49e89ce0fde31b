"""Minimised findings: none is opaque or has a part that nobody wrote, and each does what the original does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verdicts_of_samples
from behaviour import assert_same
from catalogue_states import codes_of
from test_decompiler_roundtrip import IDENTICAL, interpreter
from verdicts_of_samples import SAMPLES, answer_of, fault

ROOT = Path(__file__).resolve().parents[1]
KEPT_ON = sys.version_info[:2] == (3, 11)  # where the samples were found: others compile some of them without the fault


def marked(file: Path) -> object:
    """The file as a parameter; expected to fail when its first line says that it is open, and why."""
    reason = re.match(r"# open: (.*)\n", file.read_text())
    marks = [pytest.mark.xfail(reason=reason[1], strict=KEPT_ON)] if reason else []
    return pytest.param(file, id=file.stem, marks=marks)


@pytest.mark.parametrize("file", [marked(file) for file in sorted(SAMPLES.glob("*.py"))])
def test_sample(file):
    assert fault(file) is None
    code = codes_of(file).get("f")
    if code is not None:  # a module is not run
        assert_same(code, answer_of(file).recompile())


@pytest.mark.parametrize("version", sorted(set(IDENTICAL) - {sys.version_info[:2]}), ids=lambda v: f"{v[0]}.{v[1]}")
def test_elsewhere(version):
    """Many a sample has its fault on other versions alone."""
    done = subprocess.run(
        [*interpreter(version), verdicts_of_samples.__file__],
        env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


def test_every_file_is_collected():
    assert {path.suffix for path in SAMPLES.iterdir() if path.name != "__pycache__"} == {".py"}
