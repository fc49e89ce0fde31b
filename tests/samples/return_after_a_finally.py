"""The loop never ends by itself: only handlers come to what stands after it."""


def f(a):
    try:
        try:
            while True:
                a.g()
        except ValueError:
            pass
        except TypeError as e:
            if e.args:
                raise
    finally:
        h()
