# comes back as written
def f(x, y):
    x[0] += 1 if y else 2
    if x:
        x.b -= 5 if y else x
    x.a += 3 if y else 4
