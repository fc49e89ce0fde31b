# compiles to the same code
# comes back as written since 3.11
def f(a, b):
    for x in a:
        if x:
            with b:
                g(x)
            break
        g(b)
