def f(x, y):
    y(1, not not x)
    return not not y(x)
