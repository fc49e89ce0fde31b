def f(a, b, c):
    try:
        del a.q
    finally:
        x, y = (y, k(a < (x if a else x) < c))
