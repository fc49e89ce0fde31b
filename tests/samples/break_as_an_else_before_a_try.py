# comes back as written since 3.11
def f(a, b, c):
    while True:
        try:
            x = a()
        except OSError:
            b()
        else:
            break
    try:
        c(x)
    except KeyError:
        k(x)
    return x
