# comes back as written
def f(a, b):
    if a:
        if b:
            raise ValueError(1)
    else:
        raise ValueError(2)
    value = len(a)
    return value
