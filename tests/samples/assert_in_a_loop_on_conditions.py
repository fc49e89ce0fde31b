def f(a, b, c, x):
    try:
        while not (not b and k(x < x < c)):
            assert a, a
    except OSError as e:
        y = a
    except KeyError as e:
        raise a
