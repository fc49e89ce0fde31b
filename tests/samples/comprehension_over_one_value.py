def f(a):
    return [y for x in a for y in [g(x)]]
