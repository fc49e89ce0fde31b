"""What a compared function changes is as before in each run, and when the comparison is over, whatever holds it."""

from __future__ import annotations

import array
import decimal
import io
import logging
import os
import subprocess
import sys
import warnings
import weakref
from collections import ChainMap, UserDict, UserList
from contextvars import ContextVar
from functools import lru_cache
from queue import Queue
from threading import local
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

import numpy as np
import pytest
import torch

import unjit
from needs import refused_before
from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")
X = torch.ones(3)


def agree(function, *inputs):
    found = unjit.compare(function, *inputs)
    assert "All agree with eager." in str(found), str(found)


def test_numbers_that_are_as_exact_as_the_reference():
    kept, given = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)

    def change(x):
        kept.add_(1)
        x.add_(1)
        return x * kept

    agree(change, given)
    assert (kept.tolist(), given.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_arrays_of_numpy():
    np = pytest.importorskip("numpy")
    counts, parts, fixed = np.zeros(3), np.array([[1], None], dtype=object), np.ones(2)
    fixed.flags.writeable = False

    def change(x):
        counts[0] += 1
        parts[0].append(1)
        parts[1] = "seen"
        return x * float(counts[0]) + len(parts[0]) + float(fixed[0])

    agree(change, X)
    assert (counts.tolist(), parts.tolist()) == ([0, 0, 0], [[1], None])


def test_bytes_numbers_and_texts_in_memory():
    number, numbers, text, data = bytearray(1), array.array("d", [0, float("nan")]), io.StringIO("ab\n"), io.BytesIO()
    text.seek(1)

    def change(x):
        number[0] += 1
        number.append(7)
        numbers[0] += 1
        text.write("xyz")
        data.write(b"1")
        return x * number[0] + numbers[0] + len(text.getvalue()) + len(data.getvalue())

    agree(change, X)
    assert (number, numbers[0], data.getvalue()) == (b"\0", 0, b"")
    assert (text.getvalue(), text.tell()) == ("ab\n", 1)


def test_containers_that_are_written_in_python():
    waiting, levels, mapped, listed = Queue(), ChainMap({"n": 0}), UserDict(n=0), UserList([1])
    for number in (1, 2, 3):
        waiting.put(number)

    def change(x):
        levels["n"] += 1
        mapped["n"] += 1
        listed.append(1)
        return x * waiting.get(timeout=1) + levels["n"] + mapped["n"] + len(listed)

    agree(change, X)
    assert (waiting.qsize(), waiting.get(), levels["n"], mapped["n"], listed) == (3, 1, 0, 0, [1])


def test_what_steps_beside_an_optimizer():
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    falling = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    waiting = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1)

    def step(x):
        optimizer.zero_grad()
        loss = net(x).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        falling.step()
        waiting.step(1.0)
        return loss.detach() * optimizer.param_groups[0]["lr"]

    before = net.weight.tolist(), falling.state_dict(), waiting.state_dict(), scaler.state_dict()
    agree(step, X)
    assert (net.weight.tolist(), falling.state_dict(), waiting.state_dict(), scaler.state_dict()) == before
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_what_a_tensor_is_besides_its_values():
    flipped, filled, grown, named = torch.ones(3), torch.zeros(3), torch.ones(3), torch.ones(3)
    weight = torch.ones(3, requires_grad=True)
    named.count = 0

    def change(x):
        flipped.requires_grad_(not flipped.requires_grad)
        filled.add_(weight * 2)
        grown.data = torch.cat([grown, grown])
        named.count += 1
        named.seen = True
        return x * named.count + flipped + filled

    unjit.compare(change, X)
    assert (flipped.requires_grad, filled.is_leaf, filled.tolist()) == (False, True, [0, 0, 0])
    assert (grown.shape, named.count, hasattr(named, "seen")) == ((3,), 0, False)


def test_a_tensor_that_is_made_a_result():
    filled, weight = torch.zeros(3), torch.ones(3, requires_grad=True)

    def change(x):
        filled.add_(weight * 2)
        return x * filled

    agree(change, X)
    assert (filled.is_leaf, filled.requires_grad, filled.tolist(), weight.grad) == (True, False, [0, 0, 0], None)


class Numbered(list):
    """A list with a number of its own."""

    number = 0


class Key:
    """An object that can be the key of a dict."""

    number = 0


def test_what_containers_hold_besides_their_items():
    numbered, keyed, key = Numbered([1]), {Key(): 1}, Key()
    weak_keys, weak_values, weak = WeakKeyDictionary({key: 0}), WeakValueDictionary(), WeakSet()

    def change(x):
        numbered.append(2)
        numbered.number += 1
        for each in keyed:
            each.number += 1
            x = x * each.number
        weak_keys[key] += 1
        weak_values["key"] = key
        weak.add(key)
        return x * numbered.number + len(numbered) + weak_keys[key] + len(weak_values) + len(weak)

    agree(change, X)
    assert (numbered, numbered.number, [each.number for each in keyed]) == ([1], 0, [0])
    assert (weak_keys[key], len(weak_values), len(weak)) == (0, 0, 0)


def test_what_functions_threads_and_contexts_hold():
    here, context, asked = local(), ContextVar("context", default=0), []
    here.number = 0

    @lru_cache
    def remembered(number):
        asked.append(number)
        return len(asked)

    def change(x):
        change.calls += 1
        here.number += 1
        context.set(context.get() + 1)
        return x * remembered(3) + change.calls + here.number + context.get()

    change.calls = 0
    agree(change, X)
    assert (change.calls, here.number, context.get(), asked) == (0, 0, 0, [])
    assert remembered.cache_info().currsize == 0


made, entered = 0, []


def test_what_objects_change_that_the_function_makes():
    class Named:
        def __init__(self):
            global made  # noqa: PLW0603 (what is tested)
            made += 1
            self.number = made

        def __enter__(self):
            entered.append(self.number)

        def __exit__(self, *_):
            pass

    def change(x):
        with Named():
            return x * Named().number + len(entered)

    agree(change, X)
    assert (made, entered) == (0, [])


@refused_before("2.13", "fails to compile what sets a default type")
def test_settings_of_torch():
    before = torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()

    def change(x):
        x = x + torch.ones(3).element_size()
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(not torch.are_deterministic_algorithms_enabled())
        return x + torch.are_deterministic_algorithms_enabled()

    agree(change, X)
    assert (torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()) == before


def test_settings_of_torch_numpy_and_python():
    def now():
        return (
            (torch.get_num_threads(), torch.is_anomaly_enabled(), torch.backends.mkldnn.enabled),
            (np.geterr(), sys.getrecursionlimit(), list(warnings.filters)),
        )

    def change(x):
        torch.set_num_threads(torch.get_num_threads() + 1)
        torch.autograd.set_detect_anomaly(not torch.is_anomaly_enabled())
        torch.backends.mkldnn.enabled = not torch.backends.mkldnn.enabled
        np.seterr(over="raise" if np.geterr()["over"] == "ignore" else "ignore")
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        warnings.filterwarnings("ignore", f"number {len(warnings.filters)}")
        return x * torch.get_num_threads() * sys.getrecursionlimit()

    before = now()
    assert compare_on(["eager"], change, (X,), {}).same
    assert now() == before


def test_the_environment_paths_loggers_and_decimals():
    logger = logging.getLogger("of_a_program")

    def now():
        context = decimal.getcontext()
        return (
            (dict(os.environ), list(sys.path), context.prec, context.flags[decimal.Inexact]),
            (logger.level, list(logger.handlers), logger.propagate, logging.root.level),
        )

    def change(x):
        torch._dynamo.graph_break()
        times = int(os.environ.get("RUNS_SEEN", "0")) + 1
        os.environ["RUNS_SEEN"] = str(times)
        os.environ.pop("SET_BEFORE", None)
        sys.path.append(f"seen/{len(sys.path)}")
        decimal.getcontext().prec += 1
        seen = len(logger.handlers) + len(str(decimal.Decimal(1) / 3))
        logger.addHandler(logging.NullHandler())
        logger.setLevel(logger.level + 1)
        logger.propagate = not logger.propagate
        return x * times * len(sys.path) * seen * logger.level

    os.environ["SET_BEFORE"] = "yes"
    try:
        before = now()
        assert compare_on(["eager"], change, (X,), {}).same
        assert now() == before
    finally:
        del os.environ["SET_BEFORE"]


@pytest.mark.parametrize("weakly", [weakref.ref, weakref.proxy])
def test_what_is_held_weakly(weakly):
    class Trainer:
        def __init__(self):
            self.steps = 1  # Inductor of torch 2.15 gives x itself for x * 1, which is a difference

    class Net(torch.nn.Module):
        def __init__(self, trainer):
            super().__init__()
            self.trainer = weakly(trainer)

        def forward(self, x):
            trainer = self.trainer() if weakly is weakref.ref else self.trainer
            trainer.steps += 1
            return x * trainer.steps

    trainer = Trainer()
    agree(Net(trainer), X)
    assert trainer.steps == 1


def test_proxies_of_modules_and_of_what_is_gone():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x * 2

    net, other, gone = Net(), torch.nn.Linear(3, 3), Net()
    held = {"itself": weakref.proxy(net), "other": weakref.proxy(other), "gone": weakref.proxy(gone)}
    vars(net).update(held)  # as what torch is not to take for a part of the module
    del gone
    agree(net, X)


def test_what_hooks_on_parameters_change():
    norms, seen = [], []
    layer = torch.nn.Linear(2, 1)
    layer.weight.register_hook(lambda gradient: norms.append(gradient.norm().item()))
    layer.bias.register_post_accumulate_grad_hook(seen.append)
    assert unjit.compare(torch.compile(layer, backend="eager"), torch.ones(3, 2))
    assert (norms, seen) == ([], [])
    layer(torch.ones(3, 2)).sum().backward()
    assert (len(norms), len(seen)) == (1, 1)


COMPARED_AT_THE_END = """
import atexit
import torch, unjit
from torch._dynamo.utils import CleanupManager

atexit.register(lambda: print(len(CleanupManager.instance.refs), "alive"))
print(unjit.compare(lambda x: x.sin(), torch.ones(3)).same)
"""


@refused_before("2.13", "keeps the entries of a comparison in its cache")
def test_code_that_was_compiled_for_it_is_gone_at_the_exit():
    command = [sys.executable, "-c", COMPARED_AT_THE_END]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == ["True", "0 alive"]
    assert "Exception ignored" not in done.stderr  # torch 2.15 cannot clean up after code that outlives its modules
