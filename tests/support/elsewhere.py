"""Tests that other Pythons take part in: a script of the tests, run by each that is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unjit.bytecode.versions import SUPPORTED

ROOT = Path(__file__).resolve().parents[2]
on_each_other_python = pytest.mark.parametrize(
    "version", [one for one in SUPPORTED if one != sys.version_info[:2]], ids=lambda v: f"{v[0]}.{v[1]}"
)

# A Python in a container or a root of its own may start and see none of the files here.
READS = "import sys; open(sys.argv[1]).close()"


def said(version: tuple[int, int], script: str, *arguments: str) -> str:
    """What a script of the tests prints there; skips the test where there is no such Python."""
    done = subprocess.run(
        [interpreter(version), script, *arguments],
        env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def interpreter(version: tuple[int, int]) -> str:
    """The command of another Python; skips the test where there is none."""
    name = f"python{version[0]}.{version[1]}"
    kept = sorted(Path.home().glob(f".pyenv/versions/{version[0]}.{version[1]}.*/bin/python"))
    for command in (*map(str, kept), shutil.which(name)):
        asked = [command, "-c", READS, __file__]
        if command and subprocess.run(asked, capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip(f"no {name} that reads these files is installed")
