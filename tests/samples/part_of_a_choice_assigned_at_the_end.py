# comes back as written
"""Each arm assigns and returns by itself; the target as a whole can be no choice."""
def f(a, b, c, y):
    try:
        g()
    except E:
        (a if c else b).p = y
        raise
    (a if c is not None else b)[0] = y
