# comes back as written
def f(a, b):
    try:
        a.x()
    except OSError as exc:
        if exc.e == 3:
            pass
        elif exc.e == 5:
            pass
        else:
            raise
    b()
