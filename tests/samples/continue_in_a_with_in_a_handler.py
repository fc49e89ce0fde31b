def f(a, b, c):
    for x in a:
        try:
            g(x)
        except K as e:
            with b as y:
                if y:
                    continue
                h(y)
        g(c)
    return c
