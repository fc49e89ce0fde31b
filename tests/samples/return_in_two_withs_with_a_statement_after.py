# compiles to the same code
def f(a, b, c):
    with b:
        with a:
            if b:
                return
            g(b)
    h(c)
