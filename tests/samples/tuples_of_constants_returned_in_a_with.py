# compiles to the same code
def f(a, b):
    with a:
        if b in {1, 2}:
            return True, None
        return False, None
