# comes back as written
def f(a, b, c, x):
    assert a, b or x if c else b if a else x
    return lambda: a + b
