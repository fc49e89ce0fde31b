"""`unjit.explain` while other threads work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "programs" / "resets_beside_explain.py"


@pytest.mark.parametrize("asked", ["entries", "explain"])
def test_a_reset_while_entries_are_read_does_not_end_the_process(asked):
    """In a child: without care the interpreter reads entries that are freed, within a second."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "4", asked], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-2000:]
