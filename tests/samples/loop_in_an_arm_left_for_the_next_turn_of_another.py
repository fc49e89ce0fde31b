def f(a, b):
    while True:
        c = a()
        if c:
            while True:
                if b.x:
                    b(1)
                elif b.y:
                    c = b()
                    break
                elif b.z:
                    for i in c:
                        b(i)
                    break
                else:
                    break
        else:
            a(c)
