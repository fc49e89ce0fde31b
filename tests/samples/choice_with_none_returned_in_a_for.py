# comes back as written since 3.11
def f(x):
    for y in x:
        if y:
            return y if b else None
        g()
