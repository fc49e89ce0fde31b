def f(a, b, x, y):
    for x in b[g(x)]:
        if y if a else b:
            x += a
        try:
            a.p = y
        finally:
            x += a
