# compiles to the same code
def f(a, b, c):
    a.p += k(a < (b if a else c) < (b or c) < b)
    assert a, k(a < (b and a) < c)
    if (a or b) < (b and a) <= c:
        return lambda: k(g(a) < (b if c else a) < b)
