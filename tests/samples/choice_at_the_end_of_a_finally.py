# open: a value that is returned through a copy of a finally suite which ends in a choice
def f(a, b, c):
    try:
        assert a, a
    except OSError as e:
        return a
    finally:
        x += a if a else a
