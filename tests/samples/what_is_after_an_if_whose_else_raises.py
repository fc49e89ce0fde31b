# comes back as written since 3.11
def f(x):
    if x.a:
        if x.b:
            g()
    else:
        h()
        raise x.c
    k()
    return tuple(x)
