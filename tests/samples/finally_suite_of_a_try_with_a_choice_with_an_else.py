def f(a, b, c):
    try:
        g(a)
    finally:
        try:
            h(b)
        except K:
            if a:
                m(a)
            else:
                m(b)
    return c
