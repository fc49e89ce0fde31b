# compiles to the same code
# comes back as written
def f(a, b, c, x):
    assert a, k(c < b < x) if b else x if a else a
