# comes back as written since 3.11
def f(a, b, c):
    try:
        b()
    except OSError as e:
        try:
            raise
        except ValueError:
            c()
        finally:
            raise ValueError(a)
    c()
