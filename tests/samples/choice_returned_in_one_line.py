# comes back as written
def f(a, b):
    if a:
        return 1 if b else 2
    return '' if b is None else b.c
