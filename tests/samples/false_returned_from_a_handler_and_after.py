# compiles to the same code
def f(a, b):
    if a:
        try:
            g(a)
        except K:
            return False
        if b:
            return False
        h(a)
        if m(a):
            return True
    return False
