# compiles to the same code
def f(a, b):
    while True:
        if a():
            try:
                b.x()
                break
            except KeyError:
                a.y()
            finally:
                b.close()
        a.z()
    a.last = 1
