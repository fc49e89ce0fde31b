# compiles to the same code since 3.11
def f(a, b):
    try:
        g()
    except OSError as e:
        if a:
            return
        return
    finally:
        with a:
            g()
        y = b
