"""All but the last of the tests hand on what they found, through one block."""


def f(a, b, c, d):
    x = g(a) < b < g(c) < d
    h(x == a == b == c, d)
    return a <= b <= c <= d
