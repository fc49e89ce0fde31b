"""There is no copy of it on any way out."""


def f(a):
    try:
        try:
            a.g()
        except ValueError:
            h()
        finally:
            1
    finally:
        2
    return a
