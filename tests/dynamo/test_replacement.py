"""Every code object that Dynamo generates is proved, and replacing it by its recompiled source changes nothing."""

from __future__ import annotations

import pytest
import torch

from corpus import NO_SHARED, awkward, models, more_awkward
from replacing import backward, both, calls, differences, model
from toys import BACKENDS, toy

needs_models = pytest.mark.skipif(models is None, reason=NO_SHARED)
NAMES = sorted(models.MODELS) if models else []
SOME = {"bert", "gpt2", "resnet"}


def run_toy(backend):
    compiled = torch.compile(toy, backend=backend)
    gradients = []
    for size in (10, 10, 12, 14):
        for sign in (1, -1):
            a = torch.linspace(-1, 1, size, requires_grad=True)
            backward(compiled(a, sign * torch.ones(size)))
            gradients.append(a.grad)
    return tuple(gradients)


def check(program, backend="eager"):
    plain, replaced = both(program, backend)
    assert differences(plain, replaced) == []
    assert replaced.opaque() == []
    return replaced


@pytest.mark.parametrize("backend", BACKENDS)
def test_toy(backend):
    assert len(check(run_toy, backend).answers) == 8  # two entries of each of three functions, two resume functions


@pytest.mark.skipif(awkward is None, reason=NO_SHARED)
@pytest.mark.parametrize("name", sorted(awkward.CASES) if awkward else [])
def test_awkward_functions(name):
    check(calls(awkward.CASES[name]))


@pytest.mark.parametrize("name", sorted(more_awkward.CASES))
def test_more_awkward_functions(name):
    check(calls(more_awkward.CASES[name], **more_awkward.CONFIG[name]))


def slow(names):
    return [pytest.param(name, marks=() if name in SOME else pytest.mark.slow) for name in names]


@needs_models
@pytest.mark.parametrize("name", slow(NAMES))
def test_models_with_breaks(name):
    check(model(name, breaks=True))


@needs_models
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_models(name):
    check(model(name, breaks=False))
