# compiles to the same code
def f(r, l, size):
    while True:
        try:
            next(r)
        except StopIteration:
            break
        if 0 <= l <= size:
            g(l)
