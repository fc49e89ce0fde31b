# compiles to the same code
def f(a, b):
    try:
        print(a)
    except ValueError:
        print(b)
    try:
        return a
    except KeyError:
        pass
