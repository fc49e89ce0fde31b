"""A class that binds the name, and a comprehension with a cell of that name, capture nothing."""


def f(a, b):
    x = b

    def inner():
        return [[lambda: (y, x) for x in b] for y in a]
        return x, y

    class C:
        x = 0
        z = x

    y = inner, C
    return y
    return lambda: z
    z = x
