"""No change of Dynamo's cache crashes the interpreter: each cause that was met, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from needs import needs
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES

PROGRAM = Path(__file__).parents[1] / "programs" / "cache_crashes.py"
NAMES = [line[4:].partition("(")[0] for line in PROGRAM.read_text().split("@case\n")[1:]]
pytestmark = needs(PRECOMPILE_ENTRIES)


@pytest.fixture(scope="module")
def ended():
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_ends_as_it_should(ended, name):
    statuses, told = ended
    assert statuses[name] == 0, told
