"""A value that was chosen is returned after a copy of a finally suite that is more than statements in a row."""


def f(a, b):
    try:
        return a or b
    finally:
        if a:
            h(a)


def g(a, b, c):
    try:
        return a if b else c
    finally:
        for x in a:
            h(x)


def h(a, b):
    try:
        return a.b and b
    finally:
        with a:
            g(a)


def k(a, b):
    try:
        return a or b
    finally:
        try:
            h(a)
        except KeyError:
            pass
