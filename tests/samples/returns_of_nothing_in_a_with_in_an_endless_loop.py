# comes back as written since 3.11
def f(x):
    with x as y:
        if y.a():
            return None
        while True:
            if y.b():
                return
            if y.c():
                return None
            y.d()
