# comes back as written since 3.11
"""The end of a function would do as well, and where nothing stands in a clause, it does."""
def f(a, result):
    if a:
        return a
    try:
        g(a)
    except E:
        return None
    except F:
        pass
    for x in a:
        if x:
            h(x)
    if result:
        h(result)
        return None
    h(a)
    return None
