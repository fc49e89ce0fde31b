# compiles to the same code
def f(a, b, c):
    try:
        g(a)
    finally:
        return 5
