# comes back as written since 3.11
def f(x, y, z):
    if not x in y:
        return not x is z
    if x not in y and not z.a is y:
        return not x.a in y[0] or z is not y
    while not (x in y and z):
        x = [w for w in y if not w in z and w not in x]
    print(not y in (1, 2), z is not None and x not in (y, z))
