def f(a, b, c):
    for x in a:
        try:
            g(x)
        except K:
            with b as y:
                if y:
                    break
                h(y)
        g(c)
    return c
