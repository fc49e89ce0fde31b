# compiles to the same code
def f(a, b):
    try:
        g(a)
    finally:
        if b: return a and b
