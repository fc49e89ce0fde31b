"""All models under `unjit run --out`, forward and backward: they do what they do alone, and the directory is whole.

Slow: some 10 CPU seconds for a model on aot_eager, a minute on inductor.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import unjit
from captured_runs import contents, missing, run
from corpus import NO_SHARED, models
from judge import PROGRAMS, SHARED
from toys import needs_compiler

PROGRAM = "model_results.py"
NAMES = sorted(models.MODELS) if models else []
GROUPS = [NAMES[at : at + 4] for at in range(0, len(NAMES), 4)]  # in one process, which imports everything once
# Two classes of tuples in one function: torch asks about their scopes in the order of names that are addresses.
BY_ADDRESS = {"functions/ReformerLayer_forward/compile_0/entry.json"}
SEEDED = {"swin"}  # torch asks other conditions on its sizes, in each run, without unjit as well: by the order of a set
pytestmark = [pytest.mark.slow, pytest.mark.skipif(models is None, reason=NO_SHARED)]


@pytest.mark.parametrize("names", GROUPS, ids="-".join)
@pytest.mark.parametrize("how", ["plain", "breaks"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=needs_compiler)])
def test_models(backend, how, names, tmp_path):
    arguments = [str(SHARED / "models"), how, backend, *names]
    cache = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}  # every run makes all texts
    if SEEDED & set(names):
        cache["PYTHONHASHSEED"] = "0"
    cache["TORCHINDUCTOR_CACHE_DIR"] = str(tmp_path / "cache")  # what g++ made of equal texts is used again
    alone = subprocess.run(
        [sys.executable, str(PROGRAMS / PROGRAM), *arguments],
        env={**os.environ, **cache},
        capture_output=True,
        text=True,
        check=True,
    )
    cache["TORCH_TRACE"] = str(tmp_path / "trace")  # of one name: torch writes it into programs that repeat a graph
    watched = run(tmp_path / "one", PROGRAM, *arguments, **cache)
    (tmp_path / "trace").rename(tmp_path / "first")
    again = run(tmp_path / "two", PROGRAM, *arguments, **cache)
    assert watched.stdout == alone.stdout
    assert again.stdout == alone.stdout
    assert unjit.load(tmp_path / "one").losses == ()
    assert list(missing(tmp_path / "one", tmp_path / "first")) == []
    for file in (tmp_path / "one").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert list(one) == list(two)
    assert {name for name in one if one[name] != two[name]} <= BY_ADDRESS
