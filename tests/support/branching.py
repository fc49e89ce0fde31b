"""Functions that test a tensor's values. They are here, as pytest writes the assertions of its tests anew."""

from __future__ import annotations


def loops_until(x):
    while x.sum() < 20:
        x = x * 2
    return x


def asserts(x):
    assert x.sum() > 0, "a constant message"
    return x * 2


def asserts_much(x):
    assert x.sum() > 0, f"of {x.shape}"
    return x * 2


def raises(x):
    if x.sum() < 0:
        raise ValueError("negative")
    return x * 2
