# comes back as written since 3.11
def f(a, b, c):
    if not (c and d and e):
        return 1
    elif c or d or e.f:
        return 2
    return 2
