# comes back as written
def f(a, b, c):
    try:
        try:
            b()
        finally:
            try:
                c()
            except OSError:
                return b
    finally:
        raise a
