# comes back as written since 3.11
def f(a, b, c):
    while True:
        if b():
            g()
            break
    h()
