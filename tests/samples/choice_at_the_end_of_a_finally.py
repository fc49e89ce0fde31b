def f(a, b, c):
    try:
        assert a, a
    except OSError as e:
        return a
    finally:
        x += a if a else a
