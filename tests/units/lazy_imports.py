# py>=3.15
"""What 3.15 adds: imports that wait, and unpacking in comprehensions."""
lazy import json
lazy import os.path
lazy import xml.dom as dom
lazy from re import compile as build, escape
import sys
from re import match


def unpacked(xs):
    a = [*x for x in xs]
    b = {*x for x in xs if x}
    c = {**x for x in xs for y in x}
    d = (*x for x in xs)
    return a, b, c, d, [*(x or y) for x, y in xs]


async def asynchronous(xs):
    return (*x async for x in xs), (*await x for x in xs)


def handled():
    try:
        import sys
    except ValueError, KeyError:
        pass
