"""From 3.12 on, and on 3.10, each choice calls and returns."""


def f(a, b):
    first = lambda p: p.g(a if b else p)
    second = lambda p: h(a if p else b if a else p) if b else p
    return first, second, lambda p: a or b and (p.g(a or b) if p else p.g(b))
