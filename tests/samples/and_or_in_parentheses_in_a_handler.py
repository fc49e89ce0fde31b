# compiles to the same code
def f(a, b, c, d):
    try:
        d()
    except ValueError:
        x = (a or b) or c
        d(x)
