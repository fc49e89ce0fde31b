# compiles to the same code
def f(a, done):
    if a == 1 and done:
        g(1)
    elif (a == 2) and done:
        if h(done):
            g(2)
