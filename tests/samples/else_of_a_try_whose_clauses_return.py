# comes back as written since 3.11
"""Every clause leaves: the `else` is told from what stands after it, by how far it is indented."""
def f(a, b):
    try:
        g(a)
    except E:
        return 1
    except (F, G) as e:
        raise H from e
    else:
        h(a)
        with b:
            h(b)
    try:
        g(b)
    except E:
        return 1
    h(b)
    return b
