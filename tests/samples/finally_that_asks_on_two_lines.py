"""The copies of the end of its handler are on the lines of the tests that lead to them."""


def f(a, b):
    try:
        return a(b)
    finally:
        if (
            a is not None
            and b() is a
        ):  # fmt: skip
            b.append(a)
