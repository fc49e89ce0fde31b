"""pdb at a pseudo terminal, driven as a person drives it."""

from __future__ import annotations

import os
import re
import sys

import pexpect

PROMPT = "(Pdb) "
STOP = re.compile(r"> (?P<file>\S+)\((?P<line>\d+)\)(?P<function>\S+)")


class Pdb:
    """A program that stops in pdb. `ask` gives the answer to one command."""

    def __init__(self, *arguments):
        environment = {**os.environ, "TERM": "dumb", "PYTHONUNBUFFERED": "1", "PYTHON_COLORS": "0"}
        self.child = pexpect.spawn(
            sys.executable, list(arguments), encoding="utf-8", timeout=240, env=environment, dimensions=(100, 240)
        )
        self.child.setecho(False)
        self.before = self._answer()

    def _answer(self):
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r\n", "\n")

    def ask(self, command):
        self.child.sendline(command)
        return self._answer().removeprefix(f"{command}\n")

    def stop(self, command):
        """Where the program stops after a command: file, line, function."""
        found = list(STOP.finditer(self.ask(command)))
        assert found, f"no stop after {command!r}"
        return found[-1]["file"], int(found[-1]["line"]), found[-1]["function"].removesuffix("()")

    def end(self):
        """The rest of the output, after taking all breakpoints away."""
        self.child.sendline("clear")
        self.child.sendline("y")
        self.child.sendline("c")
        self.child.expect(pexpect.EOF)
        return self.child.before
