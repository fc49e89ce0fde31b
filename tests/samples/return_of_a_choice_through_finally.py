# with a temporary: a value that is returned through a copy of a finally suite which ends in a choice
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
