# compiles to the same code
def f(a, b):
    try:
        try:
            raise ValueError(42)
        except:
            try:
                raise TypeError(a)
            except KeyError:
                pass
            a / b
    except Exception as e:
        exc = e
    g(exc)
