# comes back as written
def f(a, b, c):
    try:
        with a:
            b()
    except OSError:
        c()
    finally:
        if a is not None:
            return b() if a and not c else c
        return a if b < c else 1 if b else 2
