# comes back as written since 3.11
def f(x):
    if isinstance(x, int):
        return int(x) if x > 0 else None
    if not x:
        return None
    y = x.s()
    if not y:
        return None
    if y == 3:
        return 4
    m = g(y)
    if m:
        p = int(y)
        return p if p > 0 else None
    w(y)
    return None
