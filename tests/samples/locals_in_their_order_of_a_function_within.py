"""Of nested functions each has its locals in its own order."""


def f(a):
    def inner():
        if 0:
            last = 2
        first = a
        last = first
        return list(eval("locals()"))

    return inner
