# compiles to the same code
def f(a, b, c):
    try:
        g(a)
    except KeyError:
        return
    except ValueError as e:
        try:
            g(b)
        except ValueError as e:
            return
        finally:
            a, b = c
    b = a
