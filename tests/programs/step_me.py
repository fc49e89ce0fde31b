"""A function to step through: `python step_me.py BACKEND DIRECTORY WHEN [STAGE [DEVICE]]` stops before a call."""
import sys
import warnings

import torch

import unjit

warnings.filterwarnings("ignore")


def step_me(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def train(compiled, device):
    compiled(torch.arange(4.0, requires_grad=True, device=device), torch.ones(4, device=device)).sum().backward()


def main(backend, directory, when, stage="as_run", device="cpu"):
    compiled = torch.compile(step_me, backend=backend)
    if when == "before":
        train(compiled, device)
    with unjit.debug(step_me, stage=stage, directory=directory):
        if when == "inside":
            train(compiled, device)
        breakpoint()
        train(compiled, device)
    print("the program goes on")


if __name__ == "__main__":
    main(*sys.argv[1:])
