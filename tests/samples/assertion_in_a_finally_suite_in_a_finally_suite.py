# comes back as written
def f(a, b, c):
    try:
        if a:
            return
    finally:
        try:
            b()
        finally:
            assert c
