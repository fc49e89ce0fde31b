# comes back as written
def f(a, b, c):
    with a as x:
        for x in b:
            try:
                c()
            except ValueError:
                break
        else:
            return a
