# comes back as written since 3.11
def f(a):
    try:
        b()
    except a:
        return a.b if a else None
