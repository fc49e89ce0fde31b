"""Processes that answer requests, watched: one that does not answer in time, or that dies, costs one answer."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

TO_BEGIN = 120  # seconds until the first thing is begun: imports, and compiling a file


@dataclass(frozen=True)
class Answer:
    """What was found of one thing, as code is decompiled: the verdict, why it is no better, the cost in CPU seconds."""

    kind: str
    place: str
    verdict: str
    reason: str = ""
    synthetic: int = 0
    seconds: float = 0.0


Task = tuple[str, str, Callable[[], Answer]]  # kind and place of a thing, and what finds out about it


def serve(tasks_of: Callable[[str], Iterable[Task]]) -> None:
    """Be a worker: do the tasks of each request on stdin, from the number on that comes with it."""
    for line in sys.stdin:
        request, first = json.loads(line)
        for number, (kind, place, find) in enumerate(tasks_of(request)):
            if number >= first:
                print(json.dumps({"kind": kind, "place": place}), flush=True)
                print(json.dumps(asdict(find())), flush=True)
        print(flush=True)


class Worker:
    """A process that runs `script --work`, which calls `serve`; ended and begun anew where something goes wrong."""

    def __init__(self, script: str, limit: float) -> None:
        self.command = [sys.executable, script, "--work"]
        self.limit = limit
        self.process: subprocess.Popen[bytes] | None = None
        self.pending = b""

    def answers(self, request: str) -> Iterator[Answer]:
        """The answers to a request as they come. What takes longer than the limit is "slow", what dies "crashed"."""
        done, ended = 0, False
        while not ended:
            self._ask(request, done)
            begun: dict[str, str] | None = None
            while isinstance(line := self._line(self.limit if begun else TO_BEGIN), str) and line:
                said = json.loads(line)
                begun = None if "verdict" in said else said
                if begun is None:
                    done += 1
                    yield Answer(**said)
            ended = line == "" or begun is None
            if line != "":
                place = begun or {"kind": "request", "place": request}
                self.end()
                done += 1
                yield Answer(**place, verdict="crashed") if line is None else Answer(**place, verdict="slow")

    def _ask(self, request: str, first: int) -> None:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([request, first]).encode() + b"\n")
        self.process.stdin.flush()

    def _line(self, seconds: float) -> str | bool | None:
        """The next line that the worker says, "" at the end; False where none comes in time, None where it has died."""
        assert self.process is not None
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.pending:
                if not selector.select(max(0.0, until - time.monotonic())):
                    return False
                read = self.process.stdout.read1()  # type: ignore[attr-defined]  # buffered, as subprocess opens it
                if not read:
                    return None
                self.pending += read
        said, _, self.pending = self.pending.partition(b"\n")
        return said.decode()

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process, self.pending = None, b""
