# compiles to the same code
def f(a, b, c):
    for y in b:
        for z in y:
            if z:
                try:
                    g(z)
                except E:
                    h(z)
                break
            k(a)
