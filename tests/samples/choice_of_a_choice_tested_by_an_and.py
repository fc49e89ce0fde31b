# comes back as written
"""What comes of the inner `or` goes past the test of what comes of the choice."""
def f(a, b, c, d, e):
    w = (a if b else c or d) and e
    x = (a() if b else c() and d()) and e
    y = (not a if b else not c and not d) and e
    return w, x, y, (a if not b else c or not d) or e
