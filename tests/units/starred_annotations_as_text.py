# py>=3.11
from __future__ import annotations


def f(*args: *Ts, **kwargs: a.b):
    return args
