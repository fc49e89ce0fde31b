"""`unjit run` names every break and recompile that torch's trace of the same run names, and no others."""

from __future__ import annotations

import shutil

import pytest

from judge import PROGRAMS, SHARED, is_told, judge

needs_shared = pytest.mark.skipif(not (SHARED / "models").exists(), reason="../shared is not beside the repository")
MODELS = str(SHARED / "models")
SOME = ["gpt2", "bert", "resnet", "clip"]


def check(program, *arguments):
    judged = judge(program, *arguments)
    assert judged.status == 0, judged.text[-3000:]
    assert judged.unnamed == []
    assert judged.invented == []
    assert judged.report["losses"] == []
    return judged


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_toy(backend):
    if backend == "inductor" and shutil.which("g++") is None:
        pytest.skip("inductor needs g++")
    judged = check("toy.py", backend)
    assert (len(judged.trace_breaks), len(judged.trace_recompiles)) == (2, 3)
    assert judged.stdout.count("\n") == 4


def test_what_is_told_of_several_entries_at_once():
    text = (
        "  f  [8/3 (1 reset ago)]  around Layer.forward\n"
        "    8/2 did not fit: tensor 'x' size mismatch at index 1. expected 16, actual 11\n"
        "    8/1 and 8/0 did not fit: the same with other numbers\n"
        "  f  [8/4 (1 reset ago)]\n"
        "    8/3 did not fit: tensor 'y' size mismatch at index 1. expected 16, actual 11\n"
    )
    other = "tensor '{}' size mismatch at index 1. expected 1, actual 11"
    assert is_told(("8/3", other.format("x")), text)
    assert not is_told(("8/3", other.format("y")), text)
    assert not is_told(("8/4", other.format("y")), text)


@needs_shared
def test_awkward_functions():
    judged = check("awkward_cases.py", "awkward", MODELS)
    assert len(judged.trace_breaks) > 30
    assert len(judged.trace_recompiles) > 25


def test_more_awkward_functions():
    judged = check("awkward_cases.py", "more_awkward", str(PROGRAMS))
    assert len(judged.trace_breaks) > 30
    assert len(judged.trace_recompiles) > 10


@needs_shared
@pytest.mark.parametrize("how", ["plain", "breaks"])
def test_some_models(how):
    check("models_once.py", MODELS, how, *SOME)


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("how", ["plain", "breaks"])
def test_all_models(how):
    check("models_once.py", MODELS, how)
