# comes back as written since 3.11
def f(x, y):
    if x > 1 and y:
        assert False, x
    assert not x or y
    assert (
        x
        and y
    ), x
    if y:
        assert not x
