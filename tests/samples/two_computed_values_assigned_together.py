def f(x):
    a, b = x.y, [x]
    return a, b
