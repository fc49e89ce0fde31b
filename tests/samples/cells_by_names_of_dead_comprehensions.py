"""Such cells come first, in the order of the comprehensions."""


def f(a, b):
    g([b for z in a])
    return lambda: (x, y, z, a)
    [b for y in a]
    w, x, y, z = b
    [a for x in b]
    [a for w in b]
