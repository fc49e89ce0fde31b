# compiles to the same code
def f(a, x, y):
    assert (x or y) if a else g(a)
    assert x if a or y else (y or g(a)), "no"
    if not ((x or y) if a else g(a)):
        raise h(a)
    while (x or y) if a else g(a):
        h(a)
    return a
