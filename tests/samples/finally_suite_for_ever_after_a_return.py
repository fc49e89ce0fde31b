# compiles to the same code
def f(a, b, c):
    try:
        return g(a)
    finally:
        while True:
            g(b)
