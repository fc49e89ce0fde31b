# compiles to the same code
def f(a, b, c):
    try:
        for x in a:
            return
    except OSError as e:
        g(e)
    finally:
        x = a
    h(a + a, k=x)
