def f(a, b, c):
    try:
        x, *y = a
    finally:
        y = b if c else {a for w in b if x < b}
        x = h(a < {w for w in x if a or b} < b)
        return g(x, (y and a) and [a for y in a])
