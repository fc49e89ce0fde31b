# comes back as written since 3.11
def f(x):
    if x.a:
        g()
        return 1
    elif x.b:
        found = []
        for y in x:
            found.append(y)
    else:
        raise x.c
    return tuple(found)
