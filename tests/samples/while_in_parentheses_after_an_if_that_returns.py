# comes back as written since 3.11
def f(x):
    if x.a > 10:
        return x
    while (y := x.pop()) is not None:
        if y == 3:
            break
        x(y)
    return y
