# comes back as written since 3.11
def f(x):
    with x.a:
        for y in x:
            if y.b:
                return y
        return None
