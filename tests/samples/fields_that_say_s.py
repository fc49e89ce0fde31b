# comes back as written since 3.12
def f(x, y):
    return f'{x!s} and {y.z!s:>5}', '%s and %5s' % (x, y.z), '%s' % (x or y,), f'{x or y!s}'
