# comes back as written
def f(a, b):
    while True:
        while a():
            if b:
                return 1
            if a.y:
                continue
            b(2)
        if a.x:
            a(1)
        if not b.x:
            break
        b(3)
    return a
