def f(a, b, c):
    while a:
        try:
            b = a
        except OSError:
            try:
                b += a
            except ValueError as e:
                continue
            finally:
                g(c)
                return a
