"""The name of an exception is a local, too, and one that is never stored has its place among the others."""


def f(a):
    try:
        first = a
    except ValueError as error:
        if 0:
            never = 1
        last = 2
        raise
    return vars(), last, never
