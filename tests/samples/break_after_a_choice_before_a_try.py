# compiles to the same code
def f(a, b, c):
    for y in b:
        if y:
            if a:
                g(1)
            elif c:
                g(2)
            else:
                g(3)
            break
    else:
        raise E
    try:
        g(c)
    except E:
        pass
