def f(a, b):
    try:
        g()
    except KeyError as e:
        try:
            x = a
        except ValueError as e:
            x = b
        else:
            return y
        raise
