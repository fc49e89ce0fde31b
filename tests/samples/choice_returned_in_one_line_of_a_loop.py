# compiles to the same code
def f(a, b, c):
    if g(c):
        for y in b: return a < b < c
    else:
        for y in b: return y if a else b
