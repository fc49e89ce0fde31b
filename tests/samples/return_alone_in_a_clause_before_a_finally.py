# compiles to the same code since 3.11
def f(a, b):
    try:
        g(a)
    except E:
        return
    finally:
        k(a)
