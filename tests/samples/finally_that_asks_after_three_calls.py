"""On 3.14 a NOT_TAKEN in the copy of the finally suite lies in the range of the try."""


def f(a, b):
    d = a.x(b)
    d.y = b
    c, e, g = a.x("x", d.y)
    try:
        a.x(c, b, c, c)
    finally:
        if c:
            c.close()
