# comes back as written since 3.13
def f(x, y):
    if x > 1:
        assert 0, x
    if x:
        print(x)
    elif y:
        print(y)
    else:
        assert 0
