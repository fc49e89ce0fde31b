# comes back as written
def f(a, b, c):
    try:
        a()
    finally:
        try:
            b()
        except OSError:
            (b or c if a else a).p = c
        except KeyError:
            return
