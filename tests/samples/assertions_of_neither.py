# comes back as written since 3.11
def f(a, b, c):
    assert not (a or b), c
    assert not a and not b, c
