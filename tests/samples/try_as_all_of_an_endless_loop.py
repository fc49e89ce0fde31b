def f(a, b, x):
    while True:
        try:
            x = g(a)
        except KeyError:
            x = 0
