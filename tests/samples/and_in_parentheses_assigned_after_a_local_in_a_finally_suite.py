# compiles to the same code
def f(a, b, c, d):
    try:
        if a:
            return a
    finally:
        c, d = d, (c and b) and a(b)
    a()
