# compiles to the same code
"""A chained comparison that ends in a call, with a test after it, in a loop."""


def f(x):
    for a, b in x:
        if 0 < a[0] <= 2 and not b:
            return a
