# compiles to the same code
def f(a, b, c):
    try:
        for x in a:
            g(x)
    finally:
        return
