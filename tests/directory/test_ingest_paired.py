"""A log beside a live capture of the same program: functions of one name are the same function."""

from __future__ import annotations

import os
import subprocess
import sys

import unjit

PROGRAM = """
import sys, torch, unjit

def outer():
    def cut(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    torch.compile(cut, backend="eager")(torch.ones(3))

with unjit.capture(sys.argv[1], fresh=False):
    outer()
"""


def test_the_resume_function_of_a_nested_function_is_found_in_the_log(tmp_path):
    """A log knows neither which function is nested in which nor a function's source."""
    log = {"TORCH_TRACE": str(tmp_path / "log")}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    subprocess.run([sys.executable, program, tmp_path / "live"], env={**os.environ, **log}, check=True)
    found = unjit.diff(unjit.load(tmp_path / "live"), unjit.ingest(tmp_path / "log"))
    assert [change for change in found.data.changes if change.topic == "functions"] == []
