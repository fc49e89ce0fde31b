# comes back as written
def f(a, b, c):
    try:
        try:
            return a() or b
        except ValueError:
            return a if b else c
        finally:
            raise c
    finally:
        while True:
            b()
