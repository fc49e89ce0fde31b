# compiles to the same code
def f(a, b, c):
    try:
        g(a)
    except ValueError:
        match a:
            case [] if b:
                c[a] = b
            case int(b):
                g(b)
            case {"k": b} if c:
                raise a
            case [b, *c, _]:
                return g(c)
            case _:
                h(a)
