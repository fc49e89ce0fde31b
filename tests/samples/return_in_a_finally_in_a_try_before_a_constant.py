# compiles to the same code since 3.11
def f(a, b):
    try:
        try:
            if a and b:
                return
            g(1)
        except E:
            h(a)
        finally:
            k(a)
    except E as e:
        h(e)
    return False
