def f(a, b):
    try:
        with a:
            return g(a)
    finally:
        x = a if b else c
