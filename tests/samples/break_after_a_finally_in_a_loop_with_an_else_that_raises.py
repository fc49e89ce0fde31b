# compiles to the same code
def f(a, b, c):
    for z in b:
        try:
            g(a)
        except E:
            h(b)
        finally:
            k(a)
        break
    else:
        raise E
    h(c)
