"""A log of a program whose graphs torch had in its caches: what they brought back is shown for what it is."""

from __future__ import annotations

import os
import subprocess
import sys

import unjit
from toys import needs_compiler
from unjit.model import Unknown

PROGRAM = """
import torch

def scaled(a, b):
    return a.cos() * b  # {remark}

torch.compile(scaled)(torch.ones(3), torch.ones(3))
"""


@needs_compiler
def test_what_a_cache_brought_back_is_kept_apart_without_the_other_programs_lines(tmp_path):
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"), "TORCH_TRACE": str(tmp_path / "log")}
    for remark in ("of okapi", "of quagga"):
        program = tmp_path / f"{remark.split()[-1]}.py"
        program.write_text(PROGRAM.format(remark=remark))
        for old in (tmp_path / "log").glob("*"):
            old.unlink()
        subprocess.run([sys.executable, program], env={**os.environ, **caches}, check=True)
    session = unjit.ingest(tmp_path / "log", tmp_path / "out")
    texts = {str(one.name): one for compile_ in session.compiles for one in compile_.artifacts}
    assert isinstance(texts["inference"].text, Unknown)
    kept = str(texts["cached_inference"].text)
    assert "torch.ops.aten.cos.default" in kept
    assert "its cache" in kept.splitlines()[0]
    assert "of quagga" in str(texts["captured"].text)
    names = list(texts)
    assert names.index("cached_inference") == names.index("inference") + 1
    everything = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*") if path.suffix != ".html")
    assert "okapi" not in everything
