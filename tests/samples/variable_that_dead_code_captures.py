"""A comprehension loops over the variable, which does not capture it; only what is never reached does."""


def f(a):
    g = [n for n in a]
    return [x for x in g], g
    return lambda: g
