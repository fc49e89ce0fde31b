# compiles to the same code
def f(a, b, c):
    for y in b:
        for z in y:
            if z:
                if a:
                    g(z)
                else:
                    h(z)
                break
            k(a)
