# comes back as written
def f(a, b, c):
    assert a, b and c if a else c and b
