"""The test is asked again at the bottom of the loop, the other way round; what returns None stands on its own line."""


def f(a):
    while a.x is not None and not a.y:
        if g(a):
            return a
        a = a.z
    while a is not None:
        h(a)
        a = a.z
    return None
