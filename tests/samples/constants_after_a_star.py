"""Constants that were folded into one, and those that stood in a tuple of their own."""


def f(a):
    a(*(1,))
    a(1, *(2, 3), **{"c": 4})
    a(*() or (), *{} and ())
    a(1, 2, 3, **{"c": 4})
    return {1, 1.0, True}, [*(1, 2)], [1, 2, 3]
