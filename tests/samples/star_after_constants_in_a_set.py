# comes back as written
def f(xs, ys):
    known = {1, 2, 3, *xs}
    return {1, 2, 3, *xs, 4, 5, 6, *ys} | known
