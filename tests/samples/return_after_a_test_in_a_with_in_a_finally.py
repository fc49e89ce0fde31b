# compiles to the same code
def f(a, b):
    try:
        with a:
            if b:
                return
            g(b)
    finally:
        k(a)
