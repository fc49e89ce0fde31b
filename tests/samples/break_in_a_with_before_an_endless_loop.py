def f(a, b):
    for x in a:
        with x, b as y:
            break
        while True:
            del a.q
    x, y = a
