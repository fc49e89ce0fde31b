def f(a, m):
    for x in a:
        with m as p:
            with x as q:
                if p:
                    break
                g(q)
        m(a)
        break
    return p
