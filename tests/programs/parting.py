"""A library's mistake that shows in compiled code alone, and a program that then fails."""

import sys

import torch


def mean(x):
    if torch.compiler.is_compiling():
        return x.sum(-1) / x.shape[0]
    return x.mean(-1)


@torch.compile(backend="eager")
def twice(x):
    return x * 2


@torch.compile(backend="eager")
def scaled(x):
    return mean(x) * 2


print(twice(torch.ones(2)).tolist(), scaled(torch.ones(2, 4)).tolist(), sys.argv[1:])
sys.exit(3)
