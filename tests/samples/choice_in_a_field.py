# comes back as written
def f(a, b):
    c = f'{a if b else ""} {a.b if a.b else a if b else 3:>{b if b else 5}} {(a, b)!r}'
    return f'{(a if b else lambda: 1)} {(lambda: 2)}' + c
