# compiles to the same code
def f(a, b, c):
    x = y = a
    try:
        if a:
            return y.attr and b
    finally:
        with a, a as y:
            x = a
        y = a
    assert a, b and c or [b, a]
