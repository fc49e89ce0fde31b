# compiles to the same code
def f(a, c):
    while True:
        if a:
            break
        match a:
            case 1:
                g(1)
            case _:
                raise E
    h(c)
