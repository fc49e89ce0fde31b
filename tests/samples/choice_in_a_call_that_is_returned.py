def f(a, x, y):
    if x:
        raise y("File" if a is None else a)
    return y(1, b=x if a else y)
