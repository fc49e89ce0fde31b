# compiles to the same code
def f(a, b, c, x, y):
    try:
        x = a
    except KeyError:
        try:
            x += b
        finally:
            (a and y or c.attr).p = x
        try:
            a.p = x
        except ValueError:
            a
