def f(a, b, c):
    try:
        for x in a:
            try:
                y = a
            except KeyError:
                b()
                continue
            finally:
                raise ValueError(b and c)
        a()
    except KeyError:
        c()
    b()
