# comes back as written since 3.11
def f(a, b):
    if (not a.b and
        not a.c and
        a.d is None):
        b(a)
    if not a or not a.b or a.c is None:
        b()
    c()
