# compiles to the same code
def f(a, b):
    try:
        c = a.g
    except AttributeError:
        pass
    else:
        return c(b)
    finally:
        del a.g, a.h
