"""What a class puts among its annotations by hand."""


def f():
    class C:
        __annotations__["123"] = 123
        x: int = 1

    return C
