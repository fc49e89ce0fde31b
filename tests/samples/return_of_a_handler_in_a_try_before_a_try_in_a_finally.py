# compiles to the same code
def f(a, b):
    try:
        for x in b:
            a(x)
        try:
            x = a()
        except KeyError as e:
            a.error
            return
    finally:
        try:
            a.x = b
        except OSError:
            raise
        except ValueError as e:
            raise
    a.done(x)
