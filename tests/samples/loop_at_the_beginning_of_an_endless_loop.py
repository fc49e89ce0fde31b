# comes back as written
def f(a, b):
    while True:
        while a():
            b()
        if a.x:
            continue
        b(1)
