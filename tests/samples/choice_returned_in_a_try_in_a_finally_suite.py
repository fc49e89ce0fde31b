# comes back as written
def f(a, b, c):
    try:
        a()
    except ValueError:
        return c
    finally:
        try:
            return b if a else not c
        except ValueError:
            b()
    a()
