"""The compiler copies the short exit to all that comes before it, into the protected range of each copy."""


def f(a, b):
    for x in a:
        try:
            x()
        except TypeError:
            b.append(x)
        except ValueError:
            b.append(1)
        try:
            raise x
        except TypeError:
            b.append(2)
        except StopIteration:
            return b
    return a
