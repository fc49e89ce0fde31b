# comes back as written since 3.11
def f(a):
    for x in a:
        with x:
            return None
    return None
