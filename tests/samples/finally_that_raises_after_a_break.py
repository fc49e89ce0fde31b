def f(a, b, c):
    while a:
        try:
            if b:
                break
            c(a)
        finally:
            b(a)
            raise KeyError(a)
    return c
