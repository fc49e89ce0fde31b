"""Each value waits on the stack while the next one is chosen."""


def f(s):
    start, stop, step = s.start or 0, s.stop or g(), s.step or 1
    return start, stop, step
