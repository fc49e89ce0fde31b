# comes back as written since 3.11
def f(a, b):
    if not a or not b.isdigit():
        raise a
    return b
