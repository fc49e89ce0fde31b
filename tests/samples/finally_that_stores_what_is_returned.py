"""What is returned is taken in the try, before the finally suite stores to the local, or loops."""


def f(a, b):
    c = None
    try:
        c = a(b)
        return c
    finally:
        b.append(c)
        c = None
        for d in b:
            a.append(d)
