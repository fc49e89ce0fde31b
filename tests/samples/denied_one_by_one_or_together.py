# comes back as written since 3.11
def f(a, b, c):
    if a is not None and (not callable(a)) and (not b):
        return 1
    if not (a is None or callable(a) or b):
        return 1
    return 2
