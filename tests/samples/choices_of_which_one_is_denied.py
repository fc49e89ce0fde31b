# compiles to the same code
def f(a, b, c):
    assert a if b else not c
    if (not a if b else c):
        g(a)
    while (a if b else not c):
        g(b)
    if (a if b else not c) and g(a):
        g(a)
    else:
        h(a)
    return [x for x in a if (x if b else not c)]
