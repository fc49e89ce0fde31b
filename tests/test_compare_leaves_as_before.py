"""What a compared function changes is as before in each run, and when the comparison is over, whatever holds it."""

from __future__ import annotations

import array
import io
from collections import ChainMap, UserDict, UserList
from queue import Queue

import pytest
import torch

import unjit

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
