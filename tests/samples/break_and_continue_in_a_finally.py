# compiles to the same code
def f(a, b, c):
    while c:
        try:
            b.p = a
        finally:
            if a:
                break
            elif b:
                continue
            g(a)
