# with a temporary: a choice between two values that are not the last on the stack
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
