# compiles to the same code
def f(a, b, c, d, e, g):
    return g is not None and (a in b and (c != "x" or d(g)) or e(g)) and d()
