def f(a, b, c):
    try:
        if c:
            return a if b else b and c
        return g(a) and (b if a else c)
    except KeyError as e:
        x[a] = e
