# compiles to the same code
def f(a, b, c):
    for z in b:
        if z:
            try:
                g(a)
            except E:
                h(b)
            finally:
                k(a)
            break
        m(z)
    h(c)
