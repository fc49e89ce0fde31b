# comes back as written
def f(x):
    match x.a:
        case str(z):
            y = z
        case other if not other.b:
            y = other
        case _:
            raise x.c
    return y
