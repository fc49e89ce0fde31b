# compiles to the same code
def f(a, b, c):
    try:
        try:
            g(a)
        except KeyError:
            try:
                g(b)
            except ValueError as e:
                return
        except OSError as e:
            b += a
        g(a + a)
    finally:
        g(c)
