# compiles to the same code
def f(a):
    try:
        try:
            g(a)
        except E:
            raise F
        return True
    finally:
        k(a)
