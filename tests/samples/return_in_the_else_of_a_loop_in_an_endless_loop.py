# compiles to the same code
def f(n, r, x):
    while True:
        for i in reversed(range(r)):
            if x[i] != n - 1:
                break
        else:
            return
        x[i:] = [x[i] + 1] * (r - i)
        yield tuple(x)
