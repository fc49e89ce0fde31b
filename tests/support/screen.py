"""A program on a pseudo terminal of which one sees the screen, as a person does."""

from __future__ import annotations

import os
import sys
import time

import pexpect
import pyte

KEYS = {"enter": "\r", "up": "\x1b[A", "down": "\x1b[B", "backspace": "\x7f", "tab": "\t", "page down": "\x1b[6~"}


class Terminal:
    """`press` types keys and waits for what the screen then has to show; `text` is the screen."""

    def __init__(self, *arguments, columns=110, rows=40, kind="xterm-256color", directory=None):
        environment = {**os.environ, "TERM": kind, "PYTHONUNBUFFERED": "1"}
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            sys.executable, list(arguments), env=environment, dimensions=(rows, columns), timeout=120, cwd=directory
        )

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, *keys, until):
        """Type, then read until the screen shows `until`, or this holds of its text."""
        for key in keys:
            self.child.send(KEYS.get(key, key))
        self.wait(until)

    def wait(self, until):
        end = time.monotonic() + 120
        comes_up = until if callable(until) else lambda text: until in text
        while not comes_up(self.text):
            assert time.monotonic() < end, f"{until!r} does not come up on\n{self.text}"
            try:
                self.stream.feed(self.child.read_nonblocking(65536, timeout=1))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                assert comes_up(self.text), f"it ended before {until!r}:\n{self.text}"

    def end(self, key="q"):
        """Leave, and give the exit status."""
        self.child.send(key)
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus
