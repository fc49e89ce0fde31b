# compiles to the same code
def f(a, b, c):
    for y in a:
        while a:
            if b:
                raise b
            if c:
                raise c
        while b:
            assert c, y
            assert y, a
        while c:
            g()
            if a:
                raise b
