"""Asking guards never crashes the interpreter: dead managers, odd values, threads; each in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEFORE = """
import gc, sys, threading
import torch, torch._dynamo, unjit

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 3), "b": torch.nn.Linear(3, 3)})

    def forward(self, x, options):
        for layer in self.layers.values():
            x = layer(x)
        for value in options.values():
            x = x + value
        return x

net = Net()
compiled = torch.compile(net, backend="eager")
arguments = torch.ones(2, 3), {"a": 1}
compiled(*arguments)
entry = unjit.explain(compiled).entries[0]
guards = entry.guards
"""
PROGRAMS = {
    "predicate and leaves after a reset": """
predicate, frame = guards.predicate, guards.frame(*arguments)
torch._dynamo.reset(); gc.collect()
for _ in range(100):
    for question in (lambda: predicate(frame), lambda: guards.check(*arguments)):
        try:
            question()
        except unjit.errors.Gone:
            pass
""",
    "the module dies, then its guards are asked": """
predicate, frame = guards.predicate, guards.frame(*arguments)
del net, compiled, frame["self"]; gc.collect()
asked = lambda: predicate(frame), lambda: guards.check(*arguments), lambda: guards.predicate
for question in (*asked, lambda: guards.cost(*arguments)):
    try:
        question()
    except unjit.UnjitError:
        pass
str(guards.source); list(guards)
""",
    "odd values at every place": """
predicate, frame = guards.predicate, guards.frame(*arguments)
odd = [None, 1, "x", object(), [], {}, (), type, int, len, torch, torch.float32, Net, iter(()), lambda: 1]
for name in frame:
    for value in odd:
        changed = {**frame, name: value}
        assert guards.check_frame(changed) == predicate(changed), (name, value)
for value in odd:
    net.__dict__["_modules"] = value
    assert guards.check_frame(frame) == predicate(frame)
    unjit.why(Net.forward, net, *arguments)
""",
    "asked in threads while others compile and reset": """
def ask():
    for _ in range(20):
        try:
            found = unjit.explain(Net.forward).entries
            for entry in found:
                entry.guards.check(net, *arguments)
                entry.guards.predicate(entry.guards.frame(net, *arguments))
        except unjit.UnjitError:
            pass

def change():
    for size in range(3, 9):
        torch._dynamo.reset()
        compiled(torch.ones(size, 3), {"a": size})

threads = [threading.Thread(target=ask) for _ in range(3)] + [threading.Thread(target=change)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""",
    "costs and sizes again and again": """
for _ in range(30):
    live = unjit.explain(compiled).entries[0].guards
    assert live.check(*arguments)
    gc.collect()
live.cost(*arguments)
torch._dynamo.reset(); gc.collect()
""",
}


QUICK = ("predicate and leaves after a reset", "odd values at every place")
CASES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PROGRAMS]


@pytest.mark.parametrize("name", CASES)
def test_no_crash(name):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", BEFORE + PROGRAMS[name]],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
