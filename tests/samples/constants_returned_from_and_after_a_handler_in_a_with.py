# compiles to the same code
def f(a, b, c):
    with z(c):
        try:
            g(a)
        except KeyError as error:
            return 1
        return 2
