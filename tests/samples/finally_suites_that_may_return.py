# compiles to the same code
def f(a, b, c):
    with c:
        try:
            if a:
                return g(a)
            b.p = a
        finally:
            if b:
                return h(b, c)
