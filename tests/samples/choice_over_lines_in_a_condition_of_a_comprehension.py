# compiles to the same code
def f(xs, a, b, c, d):
    return [
        x
        for x in xs
        if a(x)
        and (
            b(x)
            if c(x)
            else d(x)
        )
    ]
