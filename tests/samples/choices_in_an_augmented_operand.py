def f(a, b, x, y):
    y += h(x if b else y, y if a else y)
    return y
