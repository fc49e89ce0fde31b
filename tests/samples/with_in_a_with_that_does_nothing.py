# compiles to the same code
def f(a, b):
    with a:
        g(a)
        with b as c:
            pass
