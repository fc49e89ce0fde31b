# comes back as written
def f(a, b, c):
    for x in c:
        try:
            if a:
                break
        finally:
            try:
                b()
            finally:
                assert a, b
    return c
