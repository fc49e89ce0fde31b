# comes back as written since 3.11
def f(a, b, c):
    if c:
        while True:
            if a():
                g()
                break
        while True:
            if b():
                g()
                break
        return h()
    k()
