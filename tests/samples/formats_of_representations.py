# comes back as written since 3.11
def f(x, y, z):
    print('%r' % (x,), 'is %r, not %10a' % (x.y, g(y)))
    print(f'{x!r}', f'{y!a:>10} is {z.n!r}')
    return '%%%r%-5r' % (x[0], y) + f'{z}'
