# Constants that are equal and not the same


def false_or_zero(a, dtype, x):
    return a.full(
        a,
        False if (dtype or a.dtype) == x.bool else 0,
        dtype=dtype,
    )


def one_or_true(a):
    return 1 if a else True


def zeros(a):
    x = 0.0 if a else -0.0
    y = 1 if a.b else 1.0
    return x, y


def compared_alternatives(a, dtype, x):
    if (dtype or a.dtype) == x.bool:
        return 3
    a.f()
