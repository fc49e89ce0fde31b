# comes back as written since 3.11
def f(a):
    try:
        b = a()
        return b.c if b else None
    except a:
        return a.b if a else None
