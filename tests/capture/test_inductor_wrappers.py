"""What torch puts around Inductor's wrapper on a GPU, by torch's own function for it, which needs none."""

from __future__ import annotations

import inspect

import torch
from torch._inductor import utils

from unjit.torch_private.compiled_graphs.wrappers import called_with, wrapper_within


class Runner:
    def call(self, arguments):
        return [arguments[0].mul_(2)]


def aligned(wrapper, *, mutated):
    needed = len(inspect.signature(utils.align_inputs_from_check_idxs).parameters)  # 2 in torch 2.6
    return utils.align_inputs_from_check_idxs(*(wrapper, [0], mutated)[:needed])


def test_the_wrapper_is_found_behind_functions_around_it():
    wrapper = Runner().call
    assert wrapper_within(wrapper) == wrapper
    assert wrapper_within(aligned(wrapper, mutated={0})) == wrapper
    assert wrapper_within(lambda: wrapper) == wrapper
    assert wrapper_within(aligned(print, mutated={0})) is None
    assert wrapper_within(None) is None


def test_its_double_gets_what_it_would_get_and_torch_s_function_stays_as_it_was():
    wrapper = Runner().call
    around = aligned(wrapper, mutated={0})
    given = []

    def double(arguments):
        given.append(arguments[0].data_ptr() % 16)
        return wrapper(arguments)

    storage = torch.arange(9.0)
    made = called_with(around, wrapper, double)
    assert made([storage[1:]])[0].tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
    assert given == [0]
    if len(inspect.signature(utils.align_inputs_from_check_idxs).parameters) == 3:
        assert storage.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]  # copied back
    around([storage[1:]])
    assert len(given) == 1
