# compiles to the same code
def f(a, b, c):
    try:
        raise a
    finally:
        try:
            a
            return
            x = lambda: a if a else a
        except KeyError:
            if a:
                y = lambda: [[y, b], not b]
