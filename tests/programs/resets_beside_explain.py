"""One thread compiles and resets Dynamo over and over, another explains. Arguments: seconds, and what to ask."""

import sys
import threading
import time

import torch

import unjit
from unjit.torch_private.cache.entries import entries_of


def function(x, n):
    return x * n + 1


QUESTIONS = {"entries": lambda: entries_of(function.__code__), "explain": lambda: str(unjit.explain(function))}
end = time.monotonic() + float(sys.argv[1])
ask = QUESTIONS[sys.argv[2]]
compiled = torch.compile(function, backend="eager", dynamic=False)
compiled(torch.ones(2), 0)


def compile_and_reset():
    while time.monotonic() < end:
        for n in range(5):
            compiled(torch.ones(2), n)
        torch._dynamo.reset()


sys.setswitchinterval(1e-6)
thread = threading.Thread(target=compile_and_reset)
thread.start()
while time.monotonic() < end:
    ask()
thread.join()
print("alive")
