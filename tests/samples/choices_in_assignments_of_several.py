"""Values of one assignment that were on the stack while another was chosen."""


def f(a, b, c, k, x, y):
    x, y = y, [[a], c if k else b]
    x, y = y, g(a) + (c if k else b)
    x, y, a = y, a, x.g(a or b)
    return x, y
