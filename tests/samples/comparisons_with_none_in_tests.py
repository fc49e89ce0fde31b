# comes back as written since 3.11
def f(a, b, c):
    if a is None or b is None:
        return 1
    if a.b() is not None and not c:
        return 2
    if not (a.x is None and b):
        return 3
    return c
