# compiles to the same code
def f(r, l, size):
    while True:
        try:
            next(r)
        except StopIteration:
            break
        assert 0 <= l <= size
