"""A block of `unjit.debug` to which a debugger attaches midway: `python attach_me.py PORT DIRECTORY`."""
import sys

import debugpy
import torch

import unjit


@torch.compile(backend="eager")
def attach_me(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(port, directory):
    with unjit.debug(attach_me, directory=directory):
        attach_me(torch.arange(4.0), torch.ones(4))
        debugpy.listen(int(port))
        debugpy.wait_for_client()
        print(attach_me(torch.arange(4.0), torch.ones(4)).tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
