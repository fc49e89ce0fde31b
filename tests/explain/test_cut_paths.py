"""torch cuts paths of lines that need a guard: they come back whole, and stay as they are where nobody knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import unjit
from unjit.model import Place
from unjit.observe.messages.full_paths import full_path

PROGRAM = """
import torch
import unjit

def double(x):
    return x + x

compiled = torch.compile(double, backend="eager")
with unjit.capture(OUT):
    for size in (3, 4, 1):  # the last one fails a guard that the line caused
        compiled(torch.ones(size))
print([str(guard.cause.file) for function in unjit.explain(compiled).report.functions for one in function.compiles
       for guard in one.failed_guards if hasattr(guard.cause, "file")])
"""


def causes(capture):
    guards = (guard for one in capture.compiles for guard in one.compile.failed_guards)
    return {str(guard.cause.file) for guard in guards if isinstance(guard.cause, Place)}


def test_a_recompile_names_the_whole_file(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("OUT", repr(str(tmp_path / "out"))))
    environment = {**os.environ, "TORCH_TRACE": str(tmp_path / "log")}
    done = subprocess.run([sys.executable, program], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.strip() == str([str(program)])
    assert causes(unjit.load(tmp_path / "out").data) == {str(program)}
    assert causes(unjit.ingest(tmp_path / "log").data) == {str(program)}


def test_only_what_can_have_been_cut_is_taken():
    files = ["/home/me/train.py", "/home/me/retrain.py", "/opt/lib/models/net.py"]
    assert full_path("ome/me/train.py", files, here=False) == "/home/me/train.py"
    assert full_path("models/net.py", files, here=False) == "/opt/lib/models/net.py"
    assert full_path("odels/net.py", files, here=False) == "odels/net.py"
    assert full_path("train.py", [*files, "/srv/train.py"], here=False) == "train.py"
    assert full_path("/srv/other.py", files) == "/srv/other.py"
    assert full_path("<string>", files) == "<string>"


def test_a_file_that_dynamo_did_not_look_at_is_found_where_torch_is_installed(tmp_path, monkeypatch):
    relu = torch.nn.functional.__file__
    assert full_path(os.path.relpath(relu, Path(torch.__file__).parents[1]), ()) == relu
    monkeypatch.chdir(tmp_path)
    Path("torch").mkdir()
    Path("torch", "functional.py").touch()
    assert full_path("torch/functional.py", ()) == "torch/functional.py", "a relative path is not cut"


@pytest.mark.parametrize("tail", ["", "no/such/file.py", "."])
def test_what_is_nowhere_stays(tail):
    assert full_path(tail, ()) == tail
