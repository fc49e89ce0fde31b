def f(self, a):
    while True:
        c = a()
        while True:
            if a.x:
                a.c(1)
            elif a.y:
                a.d()
                break
            elif a.z:
                for i in a:
                    a(i)
                break
            else:
                break
