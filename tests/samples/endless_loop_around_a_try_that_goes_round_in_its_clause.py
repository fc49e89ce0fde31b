# comes back as written since 3.11
def f(a, b):
    while True:
        try:
            with a() as c:
                if c is None:
                    break
                b(c)
        except:
            if not a.x:
                b.y()
