def f(a, b):
    if a:
        pass
    else:
        return
    with a as c, b:
        return
