# compiles to the same code
# comes back as written since 3.11
def f(a, b, c):
    if a:
        c.one()
    elif b:
        raise c
    elif not c and a:
        raise b
    elif c:
        c.two()
    else:
        c.three()
    for i in a:
        if b:
            c.four()
        else:
            if i:
                raise c
            if a:
                c.five()
            else:
                c.six()
    return a
