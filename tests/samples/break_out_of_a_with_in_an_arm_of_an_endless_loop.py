# compiles to the same code
def f(a, b, c):
    while True:
        if a():
            with b as x, c:
                break
        try:
            del a.x
        except OSError:
            x += 1
        except KeyError:
            raise
    a.last = x
