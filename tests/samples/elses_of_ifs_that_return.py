# comes back as written since 3.11
"""After a suite that leaves, an `else` is told by how far it is indented."""
def f(a, b, c):
    if a:
        return 1
    elif not b:
        raise E(a)
    elif a is not c:
        c = b, a
        return c
    else:
        b, c = c, b
        for x in a:
            if x:
                return x
            else:
                g(x)
                while c:
                    g(c)
        if b:
            return None
    g(b)
    if c:
        return a
    if not b:
        return b
    c = x = 2
    if c:
        return 'some %s and %s' % (
            a, b)
    return 'more %s and %s' % (
        a, b)
