# compiles to the same code since 3.11
def f(a, b):
    try:
        g(a)
    except E:
        if b:
            return
        g(1)
    finally:
        k(a)
