# compiles to the same code
def f(a, b):
    if a:
        try:
            g(a)
        except K:
            return b
        if b:
            return b
        h(a)
        if m(a):
            return True
    return b
