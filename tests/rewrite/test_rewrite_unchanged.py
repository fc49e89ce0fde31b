"""Every entry copied and installed without change: what a program computes and compiles stays as it was."""

from __future__ import annotations

import contextlib
import random

import pytest
import torch
import torch._dynamo

import unjit
from corpus import NO_BACKWARD, NO_SHARED, awkward, models, more_awkward
from needs import lacking, needs
from replacing import backward, called, same
from unjit.errors import Unsupported
from unjit.torch_private.probes import cache_probes, install_probes

eval_frame = torch._C._dynamo.eval_frame
pytestmark = needs(cache_probes.PRECOMPILE_ENTRIES)
POSITIONS = ["first", "cache"] if not lacking(install_probes.SET_REGION) else ["first"]
CASES = {name: (more_awkward.CASES[name], more_awkward.CONFIG[name]) for name in more_awkward.CASES}
if awkward is not None:
    CASES |= {name: (make, {}) for name, make in awkward.CASES.items()}
ROOM = {"cache_size_limit": 64}  # ordinary entries of ours count too
QUICK = {"branch_on_data", "break_inside_with", "closure_and_cells", "object_attributes_changed"}
NAMES = sorted(models.MODELS) if models else []
SOME: set[str] = set()


def slow(names, quick):
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


def begin():
    torch.manual_seed(0)
    random.seed(0)
    if awkward is not None:
        awkward.STATE.update(calls=0, log=[])
    more_awkward.SCALE = 2.0
    more_awkward.REGISTRY.clear()


def call_all(compiled, argument_lists):
    begin()
    return [*called(compiled, argument_lists)]


def install_everything(position):
    """A copy of each entry that there is; how many, and the handles."""
    handles = []
    for function in unjit.explain().functions:
        for entry in function.entries:
            if entry.data.invalid is None:
                with contextlib.suppress(Unsupported):  # Dynamo gave up on the function, and takes no entry any more
                    handles.append(entry.copy().install(position))
    return handles


def second_pass(program, position=None):
    """What the second of two passes computes and compiles; with copies of all entries installed before it."""
    torch._dynamo.reset()
    begin()
    run = program()
    run()
    handles = install_everything(position) if position else []
    torch._dynamo.utils.counters.clear()
    result = run()
    frames = dict(torch._dynamo.utils.counters["frames"])
    errors = [error for handle in handles for error in handle.errors]
    for handle in handles:
        handle.remove()
    return result, frames, len(handles), errors


def check(program, position):
    result, frames, _, _ = second_pass(program)
    ours, our_frames, count, errors = second_pass(program, position)
    assert same(ours, result)
    assert (our_frames, errors) == (frames, [])
    return count


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("name", slow(sorted(CASES), QUICK))
def test_awkward_functions(name, position):
    make, config = CASES[name]

    def program():
        function, argument_lists = make()
        compiled = torch.compile(function, backend="eager")
        return lambda: call_all(compiled, argument_lists)

    with torch._dynamo.config.patch(config | ROOM):
        check(program, position)


@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("name", slow(NAMES, SOME))
def test_models_with_breaks_forward_and_backward(name, position):
    def program():
        net, inputs = models.make(name)
        with torch.no_grad():
            net(**inputs)  # what a model does at its first call alone, such as warnings
        net = models.with_breaks(net)
        compiled = torch.compile(net, backend="eager")
        return lambda: one_pass(net, compiled, inputs)

    def one_pass(net, compiled, inputs):
        begin()
        net.zero_grad()
        with torch.set_grad_enabled(name not in NO_BACKWARD):
            outputs = models.flatten(compiled(**inputs))
        if name not in NO_BACKWARD:
            backward([output for output in outputs if output.is_floating_point()])
        return [one.detach() for one in outputs], [parameter.grad for parameter in net.parameters()]

    with torch._dynamo.config.patch(ROOM):
        assert check(program, position) > 0
