def f(a, b, c, g):
    with b:
        if a:
            return g(a)
        return g(c)
