# compiles to the same code since 3.11
def f(a, b, c):
    for y in b:
        if y:
            try:
                g(a)
            except E:
                h(b)
            else:
                x = a
            finally:
                k(a)
            break
    else:
        raise E
    return c
