# comes back as written
def f(a, b, c):
    try:
        if a:
            return c
    finally:
        try:
            b()
        except OSError as e:
            if a:
                assert b, c
    c()
