# comes back as written since 3.11
def f(x):
    if x:
        return a if b else None
    else:
        return c if d else None
