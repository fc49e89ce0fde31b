# comes back as written since 3.11
def f(a, b):
    try:
        c = a()
    except b:
        return
    if ((c.d & c.e) or
        (c.g & c.h)):
        b()
        return
    a(c)
