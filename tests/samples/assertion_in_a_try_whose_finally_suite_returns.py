# comes back as written
def f(a, b):
    try:
        assert a, b
    finally:
        return
