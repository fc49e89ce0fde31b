# comes back as written
"""The compiler makes a dict of seventeen pairs, and puts the next seventeen into it."""
def f(a, b):
    short = {'a': a(), **b, 'b': 1}
    return {
        'k0': a(), 'k1': 1, 'k2': 2, 'k3': 3, 'k4': 4, 'k5': 5, 'k6': 6, 'k7': 7, 'k8': 8, 'k9': 9, 'k10': 10,
        'k11': 11, 'k12': 12, 'k13': 13, 'k14': 14, 'k15': 15, 'k16': 16, 'k17': 17, 'k18': b, **short, 'k19': 19,
    }
