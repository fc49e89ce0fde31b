# comes back as written
def f(a, b, c):
    try:
        a()
    except ValueError:
        b()
    finally:
        try:
            c()
        finally:
            return b or c
