# comes back as written
def f(a, b, c):
    try:
        try:
            a()
        except KeyError:
            raise
        finally:
            return b or c
    finally:
        b()
