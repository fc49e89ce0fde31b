def f(a, b, c):
    if a:
        (g(a) or (b if c else b)).p = y
    elif b:
        return {a: 1, **(x if a else b)}
    elif c is a:
        return g(*b, **(a if a else b))
    elif c is b:
        return g(*(x if a else y))
    while c:
        raise h(b[x], c if b or a else c)
    with a:
        return [a, *(x if b else y)], a[b[x] : a if b else a]
