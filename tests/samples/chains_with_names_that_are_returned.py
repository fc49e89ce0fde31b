def f(a, b, c):
    if a:
        return (x := a < b < c)
    if b:
        return g(b)(c, (x := a < b() < c), b)
    g = lambda: (x := b < x != c)
    return g(a) + (x := a < b < c)
