# compiles to the same code
"""From 3.13 on the last `continue` stands after a handler that has no line, not after the test that leads to it."""


def f(g, y):
    for a in y:
        try:
            b = g(a)
        except ValueError:
            if not g(y):
                try:
                    b = g(a)
                except TypeError:
                    continue
            else:
                continue
        g(b)
