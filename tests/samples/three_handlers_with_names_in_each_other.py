# compiles to the same code
"""From 3.13 on each of them has copies of the ways out of all those around it: one way for each, from the outermost in."""


def f(g):
    try:
        b = g(1)
    except ValueError as e:
        c = str(e)
        try:
            b = g(2)
        except TypeError as e:
            d = str(e)
            try:
                b = g(3)
            except KeyError as e:
                b = g(c, d)
    return g(b)
