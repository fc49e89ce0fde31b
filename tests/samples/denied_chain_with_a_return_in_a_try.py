# compiles to the same code
def f(a, b, c):
    try:
        if not a < b(c) < c(b):
            return [b]
    except ValueError:
        return c
