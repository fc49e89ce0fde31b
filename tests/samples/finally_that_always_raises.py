# compiles to the same code


def f(a, b, c):
    try:
        try:
            a()
        except ValueError:
            b()
        finally:
            raise KeyError(c)
    except KeyError as found:
        return found
