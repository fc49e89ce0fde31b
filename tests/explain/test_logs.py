"""`unjit.enable_logs`: torch's logs with source and readable guards."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from needs import lacking
from unjit.torch_private.probes.call_probes import GET_CALL_HOOK

PROGRAM = """
import torch, unjit
unjit.enable_logs()
unjit.enable_logs()

def adds(x, k):
    y = x * k
    torch._dynamo.graph_break()
    return y + 1

compiled = torch.compile(adds, backend="eager")
with unjit.debug(quiet=True):
    print("result", compiled(torch.ones(2), 3))
unjit.disable_logs()
print("result", compiled(torch.ones(3), 3))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the program prints and logs, by the setting of TORCH_LOGS."""
    program = tmp_path_factory.mktemp("logs") / "program.py"
    program.write_text(PROGRAM)

    def run(logs):
        done = subprocess.run(
            [sys.executable, str(program)], env={**environment(), **logs}, capture_output=True, text=True,
            timeout=240, check=True,
        )  # fmt: skip
        assert done.stdout.count("result tensor([4., 4.") == 2
        return done.stderr

    return run


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("TORCH_")}


def test_source_stands_after_the_bytecode_and_guards_are_readable(said):
    log = said({"TORCH_LOGS": "bytecode,guards"})
    assert log.index("MODIFIED BYTECODE adds") < log.index("# DECOMPILED BYTECODE adds, ")
    assert "[__bytecode] # equivalent: proved to do the same as the bytecode" in log
    assert re.search(r"\[__bytecode\]     .*__compiled_fn_\d", log)
    assert log.count("# DECOMPILED BYTECODE adds, ") == 1  # disabled before the second compile
    assert "of this file" not in log  # it runs from nowhere else
    if reason := lacking(GET_CALL_HOOK):
        assert f"unjit adds no readable guards: {reason}" in log
        return
    assert "[__guards] GUARDS OF adds, compile 0/0" in log
    assert "k == 3" in log.split("GUARDS OF adds, compile 0/0")[1]


def test_nothing_is_said_that_was_not_asked_for(said):
    log = said({})
    assert "DECOMPILED" not in log
    assert "GUARDS OF" not in log
