"""A function that asks for its locals and names one of them first where nothing runs: `locals()` lists it there."""


def f(a, *rest, **more):
    if 0:
        last = None
    first = a
    last = first
    return locals()
