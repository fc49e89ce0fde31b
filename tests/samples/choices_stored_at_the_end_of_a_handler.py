# compiles to the same code
def f(a, b, c):
    try:
        g(a)
    except KeyError:
        x = a < b < c
    except ValueError:
        x = a if b else c
    except TypeError:
        x = y = a and b
