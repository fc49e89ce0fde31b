# comes back as written
def f(a, b):
    while True:
        while True:
            if a.x:
                a()
            elif a.y:
                b()
            else:
                break
        if not a.z:
            break
        b(1)
        if a.w:
            continue
        b(2)
    return a
