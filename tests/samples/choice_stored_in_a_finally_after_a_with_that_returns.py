# compiles to the same code
# comes back as written
def f(a, b):
    try:
        with a:
            return g(a)
    finally:
        x = a if b else c
