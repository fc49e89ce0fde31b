"""It is on a line of its own, so somebody wrote it."""


def f(a):
    if a.x:
        return g(a)
    else:
        return None
