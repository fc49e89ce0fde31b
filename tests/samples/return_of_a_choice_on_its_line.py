# comes back as written since 3.11
def f(a, b, c):
    if a:
        return g(a) if a.p else h(b)
    if b:
        return a if a is None else b if a.b else g(c)
    if c:
        if c.p:
            return a.q
        return a.r
    return g(b)
