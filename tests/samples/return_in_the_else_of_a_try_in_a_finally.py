# compiles to the same code
def f(a, b):
    if b:
        try:
            g(a)
        except E:
            h(b)
        else:
            if a:
                return
            g(i)
        finally:
            h(b)
    return False
