def f(a, b, c):
    try:
        g(a)
    except K as e:
        while a:
            if b:
                if c:
                    break
                h(c)
                break
            g(e)
        m(c)
