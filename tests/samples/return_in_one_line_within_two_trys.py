# compiles to the same code
def f(a, c):
    try:
        if a: return 1
    except KeyError: g(a)
    finally: h(a)
    g(c)
