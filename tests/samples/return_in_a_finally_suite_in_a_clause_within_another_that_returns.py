# compiles to the same code
def f(a, b, c):
    try:
        a.p = x
    except a as e:
        y.p = y
    except OSError as e:
        try:
            g(g(y.attr))
        finally:
            return
    finally:
        x += a
        return c
