"""A place to unpack to that is not the first target."""


def f(a):
    x = y, z = a
    p = q, r, s = t, u, v = w = a, y, (z, x)
    return x, y, z, p, q, r, s, t, u, v, w
