"""Values that were all on the stack before the first was stored."""


def f(a, b):
    x, y = a, b
    i, n = 0, len(b)
    k, m = "d", a.r
    a.s, a.t = x, y
    a.u, a.v, w = i, n, k
    x, y = y, x
    return x, y, i, n, k, m, w
