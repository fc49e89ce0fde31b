"""Many compiles, and what is left of them: memory, handlers, hooks, threads, files."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import torch._dynamo

import unjit
from unjit.observe.listening import recorder as recorders
from unjit.torch_private.following.inductor_logs import KINDS


def functions(count: int) -> list[Callable[[torch.Tensor], torch.Tensor]]:
    """Functions with code of their own; every fourth has a graph break."""
    made = []
    for number in range(count):
        scope = {"torch": torch}
        stop = "    torch._dynamo.graph_break()\n" if number % 4 == 0 else ""
        exec(f"def soaked_{number}(x):\n    x = x + {number}\n{stop}    return x * 2\n", scope)
        made.append(scope[f"soaked_{number}"])
    return made


def compile_all(chosen: list[Callable], sizes: range, backend: str = "eager") -> int:
    """Compile each function for each size, and check each result; gives the number of calls."""
    for function in chosen:
        compiled = torch.compile(function, backend=backend, dynamic=False)
        for size in sizes:
            seen, right = compiled(torch.ones(size)), function(torch.ones(size))
            assert torch.equal(seen, right), (function.__name__, seen, right)
    return len(chosen) * len(sizes)


@contextlib.contextmanager
def recorded() -> Iterator[None]:
    """As under `unjit run`."""
    recorder = recorders.start()
    try:
        yield
    finally:
        recorder.stop()


@contextlib.contextmanager
def captured(folder: Path, numbers: Iterator[int]) -> Iterator[None]:
    """A capture into a new folder, and an explanation in it."""
    with unjit.capture(folder / str(next(numbers))) as session:
        yield
        str(session.explain())
    assert session.losses == (), session.losses


def memory() -> float:
    """What the process holds, in MB, after what is free was given back."""
    for _ in range(3):
        gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def held() -> dict[str, object]:
    """What a block may not leave behind."""
    gc.collect()
    loggers = [logging.getLogger(name) for name in ("torch.__trace", *KINDS)]
    return {
        "handlers": [(logger.name, type(one).__name__) for logger in loggers for one in logger.handlers],
        "hooks": len(torch._dynamo.convert_frame._bytecode_hooks),
        "finders": len(sys.meta_path),
        "threads": threading.active_count(),
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "environment": {name for name in os.environ if name.startswith(("UNJIT", "PYTHONPATH"))},
        "recorders": sum(
            str(type(one).__module__).startswith("unjit.observe.listening.record") for one in gc.get_objects()
        ),
    }


def threads(count: int, chosen: list[Callable], sizes: range) -> None:
    """All at once: each thread compiles all functions, calls them and asks about them."""

    def work(number: int) -> None:
        for function in chosen[number:] + chosen[:number]:
            compile_all([function], sizes)
            assert str(unjit.explain(function))

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
