def f(a, b, c):
    try:
        g(a)
    except E:
        try:
            if a:
                return False
            g(1)
        finally:
            h(b)
    finally:
        k(a)
    h(c)
