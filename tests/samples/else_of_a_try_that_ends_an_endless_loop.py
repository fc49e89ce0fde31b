# comes back as written since 3.11
def f(a, b, c):
    while True:
        try:
            x = a()
        except OSError:
            b()
        else:
            if x:
                raise b
            break
    try:
        c(x)
    except KeyError:
        k(x)
    if c:
        c.x = x
