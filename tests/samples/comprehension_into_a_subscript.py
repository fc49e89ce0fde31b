"""It has no variable of its own, and is inlined all the same."""


def f(a):
    held = {}
    return [held[0] + x for held[0] in a for x in a], {held[1] for held[1] in a}, held
