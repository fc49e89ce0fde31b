# compiles to the same code
def f(a, b):
    try:
        with a:
            instance = b()
        return instance
    except ValueError as e:
        with a:
            b(e)
        raise e
