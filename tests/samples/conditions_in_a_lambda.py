def f(a, b, c):
    return lambda: k(a < (c and b) < a)
