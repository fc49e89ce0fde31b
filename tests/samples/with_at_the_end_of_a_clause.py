"""What a manager swallows ends the clause as the suite of the `with` does: each way unbinds the name and returns."""


def f(a, y):
    try:
        g(a)
    except KeyError as e:
        with a:
            g(a)


def g(a, y):
    if a:
        with a:
            return
        with a, a as y:
            y = a


def h(a, y):
    try:
        x = a
    except OSError:
        h(a)
    else:
        with a as x:
            return
        x, y = a
