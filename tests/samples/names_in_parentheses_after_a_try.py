# compiles to the same code
def f(a, b):
    try:
        g(a)
    except E:
        h(b)
        raise
    (one, other) = a.pair()
    if one:
        g(other)
    return (one, other)
