# comes back as written since 3.11
def f(a):
    if a:
        return
    return None
