# compiles to the same code
def f(a, b):
    try:
        g(a)
    except E:
        try:
            g(a)
        except E:
            return
        g(1)
