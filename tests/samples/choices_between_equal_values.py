# compiles to the same code
def f(a, b, c):
    assert a, h(g(b), a or a)
    b += k(1 if a else 1) + (c if b else c)
    return lambda: g(b if a else b, c)
