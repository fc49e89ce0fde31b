"""The first test of the loop comes right after that of the if, and both fail to the same place."""


def f(a, b):
    if a and not b:
        while a.x > 1 and a.y:
            g(a)
            a = a.z
    if a is None:
        while b is not None:
            b = h(b)
