def f(a, b):
    while True:
        g(a)
        for x in b:
            return x


def g(a):
    while True:
        for x in a():
            if x:
                return x
            break
        else:
            g()
