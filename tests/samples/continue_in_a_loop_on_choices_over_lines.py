# compiles to the same code
def f(n, a, b, c):
    while (
        a < n
        if b is None
        else (
            b < n
            if c
            else c < n
        )
    ):
        if b == 1:
            continue
        a = g(a)
    return a
