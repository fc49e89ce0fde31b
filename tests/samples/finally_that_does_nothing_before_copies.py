def f(a, b):
    if a:
        try:
            a.p = b
        except KeyError:
            b = g(a)
        finally:
            x: a
    raise a from b
