def f(a, b, c):
    with c:
        try:
            g(a)
        except KeyError:
            h(b)
        except ValueError as error:
            k(error)
    return a
