# compiles to the same code
def f(a, b, c):
    try:
        try:
            b[a] = a
        except KeyError:
            return
        except ValueError as e:
            del a.q
        raise a
    finally:
        return
