"""Models on inductor, forward and backward: with `unjit run` and `explain` on, the same bits as without."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from corpus import NO_SHARED, SHARED, models
from judge import PROGRAMS, UNJIT
from toys import needs_compiler

MODELS = ["gpt2_no_cache", "bert_mlm_loss", "t5", "vit", "resnet", "llama"]


@pytest.mark.slow
@pytest.mark.skipif(models is None, reason=NO_SHARED)
@needs_compiler
@pytest.mark.parametrize("name", MODELS)
def test_outputs_and_gradients_are_the_same(name, tmp_path):
    def run(command, how):
        done = subprocess.run(
            [*command, str(PROGRAMS / "models_trained.py"), str(SHARED), how, name],
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done

    watched = run(UNJIT, "explained")
    assert "unjit: Dynamo saw" in watched.stderr
    assert watched.stdout == run([sys.executable], "plain").stdout
