# compiles to the same code
def f(a, b, c):
    try:
        return g(a)
    finally:
        x = a if b else c
