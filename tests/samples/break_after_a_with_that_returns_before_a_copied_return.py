# compiles to the same code
def f(a, b, c):
    for y in b:
        with a:
            if b:
                return
            g(b)
        break
    else:
        raise E
    return c
