def f(a, y):
    try:
        try:
            raise a
        except KeyError:
            raise
    except OSError:
        y += a
    except ValueError as e:
        del a.q
