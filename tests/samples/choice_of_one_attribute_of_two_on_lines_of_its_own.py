# compiles to the same code
"""From 3.12 on each arm has a copy of the return: the same attribute of two objects, on a line of its own in each."""


def f(g, a, b):
    return g(
        a.imag,
        (b.real if a.imag is not None
         else a.real),
    )
