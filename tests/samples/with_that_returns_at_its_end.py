"""What a manager swallows goes on after the `with`, whose suite returns nothing at its end."""


def f(a, b):
    with a:
        g(b)
        return
    h(a)


def g(a):
    with a:
        return
    with a.b:
        return
    h(a)


def h(a):
    with a:
        if a.b:
            return a
        else:
            return
    return g(a)
