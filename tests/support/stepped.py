"""A session of `unjit.step` with what is typed in it, and functions to step through."""

from __future__ import annotations

import io

import unjit
from unjit.stepping.session import Stepper


def twice(x):
    return x * 2


def adds(count, start=2):
    total = start

    def inner(x):
        return x + total

    for i in range(count):
        try:
            total += twice(i) if i else 1 // (i - start + 2)
        except ZeroDivisionError:
            total -= 1
        total = inner(total)
    return total


def session(function, *arguments, commands, own=None):
    """What a call gives, and what is printed, when these commands are typed."""
    output = io.StringIO()
    code = (own or function).__code__
    with Stepper(code, io.StringIO("".join(f"{command}\n" for command in commands)), output):
        result = function(*arguments)
    return result, output.getvalue()


def answers(commands, *arguments):
    """What is printed after each command."""
    return session(adds, *arguments, commands=commands)[1].split("(unjit) ")[1:]


def line_of(text):
    source = adds.__code__.co_firstlineno
    lines = [line.strip() for line in unjit.getsource(adds).splitlines()]
    return source + next(index for index, line in enumerate(lines) if text in line)

