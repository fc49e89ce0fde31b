# compiles to the same code
def f(a, b, c):
    for y in b:
        if y:
            for i in a:
                g(i)
            break
    else:
        raise E
    if c:
        return
    h(c)
