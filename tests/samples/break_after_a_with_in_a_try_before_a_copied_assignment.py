# compiles to the same code
def f(a, b, c):
    for y in b:
        if y:
            try:
                with b as y:
                    g(a)
            except E as e:
                h(e)
            break
    else:
        raise E
    x = 1
