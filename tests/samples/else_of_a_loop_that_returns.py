# comes back as written since 3.11
"""Nothing breaks out of the loop: its `else` is told from what stands after it, by how far it is indented."""
def f(a, b):
    while b:
        for x in b:
            if x:
                break
        b = g(b)
    else:
        h(b)
    for x, y in a:
        if x:
            return y
        a = b = 0
    else:
        g(a)
    for x in a:
        c = d = 0
        if x:
            return c, d
    raise E(a)
