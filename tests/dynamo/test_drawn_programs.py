"""Functions of tensors drawn by chance, under torch.compile; `bench/drawn_programs.py` draws more of them."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch._dynamo

import unjit
from agreement import Score, compare, frames
from captured_runs import missing, run
from generated_tensors import outcome
from judge import PROGRAMS, judge
from replacing import both, same

SUPPORT = str(Path(__file__).resolve().parents[1] / "support")
SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_replaced_code_does_the_same(seed):
    plain, replaced = both(functools.partial(outcome, seed))
    assert same(plain.result, replaced.result)
    assert replaced.opaque() == []
    assert len(replaced.answers) > 0


def test_guards_give_torchs_answers():
    score = Score()
    for seed in SEEDS:
        torch._dynamo.reset()
        with frames() as noted:
            outcome(seed)
        for manager, frame in noted:
            compare(manager, frame, score, most=10)
    assert score.disagreements == []
    assert score.held > 0


def test_under_run_and_capture(tmp_path):
    arguments = (SUPPORT, str(tmp_path), str(SEEDS.stop), "8")
    command = [sys.executable, str(PROGRAMS / "drawn.py"), *arguments]
    alone = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    judged = judge("drawn.py", *arguments)
    assert (judged.stdout, judged.unnamed, judged.invented) == (alone, [], [])
    captured = run(tmp_path / "out", "drawn.py", *arguments, TORCH_TRACE=str(tmp_path / "trace"))
    assert captured.stdout == alone
    assert list(missing(tmp_path / "out", tmp_path / "trace")) == []
    assert unjit.load(tmp_path / "out").losses == ()
    for file in (tmp_path / "out").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
