# compiles to the same code
def f(a, b):
    try:
        for i in a:
            if i:
                return
            g(i)
    finally:
        h(b)
    return False
