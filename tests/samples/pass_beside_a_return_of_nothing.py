# comes back as written since 3.11
def f(a, b):
    if a:
        pass
    elif b:
        return
    else:
        pass
