# compiles to the same code
# comes back as written since 3.11
def f(a, b):
    if a == 1:
        while True:
            if b:
                g()
                break
            h()
        k()
        return x
    if a == 2:
        while True:
            h()
            if b:
                g()
                break
        return x
    while True:
        h()
        if b:
            g()
            return x
