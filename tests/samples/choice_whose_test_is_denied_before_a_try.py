# comes back as written
def f(a, b, c):
    if a and (c if not (a and b) else b):
        try:
            a()
        except OSError:
            raise
    c()
