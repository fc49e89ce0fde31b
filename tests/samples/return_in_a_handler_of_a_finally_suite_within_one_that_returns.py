# compiles to the same code
def f(a, b, c):
    try:
        try:
            a()
        finally:
            try:
                b()
            except OSError:
                return
            c()
    finally:
        return a
