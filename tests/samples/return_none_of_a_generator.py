# comes back as written since 3.11
def f(a):
    for x in a:
        if x:
            return None
        yield a
