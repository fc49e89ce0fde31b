# compiles to the same code
def f(a, b, c, d):
    x = (a and not b) and c
    yield [(a or b) or c, x]
    yield [(a or b) or d(y) for y in c]
