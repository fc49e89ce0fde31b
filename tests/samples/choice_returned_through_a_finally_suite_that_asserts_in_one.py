# comes back as written
def f(a, b, c):
    try:
        if a:
            return b or c
    finally:
        try:
            b()
        finally:
            assert a, b
