# compiles to the same code
# comes back as written
"""From 3.12 on, and up to 3.10, each arm has a copy of all that follows, which does not tell where they parted."""


def f(x, y, c, g):
    if c == 1:
        return g(1, x.real if c else y.real)
    if c == 2:
        return g(1, x.conjugate() if c else y.conjugate())
    if c == 3:
        return g(1, x[0] if c else y[0])
    if c == 4:
        return g(1, x[0 if c else 1])
    return g(1, g(x if c else y))
