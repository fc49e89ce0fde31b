# compiles to the same code
# comes back as written
"""What these tests ask stands in lines of its own, but no statement of its own begins there."""


def f(a, b, c):
    if (a and
        b):
        c.one()
    if a and (
        b
    ):
        c.two()
    if (
        a
        and b
    ):
        c.three()
    with (
        a as x,
        b as y,
    ):
        c.four(x, y)
    return c
