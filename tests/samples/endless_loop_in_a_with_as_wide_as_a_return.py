# comes back as written since 3.11
def f(a):
    with a.lock, a.b:
        if a:
            return
        while True:
            if a.c:
                return
            c()
