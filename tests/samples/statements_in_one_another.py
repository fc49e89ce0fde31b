# compiles to the same code
# comes back as written since 3.11
def f(a, b, c):
    if a:
        if b:
            c.one()
    if a and b:
        c.two()
    if a:
        c.three()
    elif b:
        if c or a.four(b):
            c.four()
    if a:
        if b:
            if c:
                c.five()
                a.five()
    with a:
        with b as d:
            c.six(d)
    with a, b as d:
        c.seven(d)
    if a:
        assert b, c
    assert not a or b
    return c
