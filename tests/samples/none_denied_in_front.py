# comes back as written since 3.12
def f(x, y, z):
    if not x is None:
        return not y is None
    if x is not None and not y.a is None:
        print(z is not None, not z[0] is None)
