# compiles to the same code
def f(a, b, c):
    try:
        a.p = b
    except ValueError:
        g(a)
    except KeyError as e:
        return g(e)
    finally:
        return b[c] and a
