# compiles to the same code
# comes back as written since 3.11
def f(a, b):
    for x in a:
        try:
            g(x)
        except b:
            continue
    while a:
        try:
            return g(x)
        except b:
            continue
        except a:
            pass
