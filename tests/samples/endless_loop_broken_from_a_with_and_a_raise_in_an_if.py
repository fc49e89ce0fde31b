# comes back as written
def f(a, b, c):
    while True:
        with a:
            break
        if b:
            raise a
    c()
