def f(a, b, n, m):
    for x in n:
        for y in m:
            if a(x):
                break
            elif b(y):
                continue
            g(y)
        else:
            raise K(x)
        h(x)
        break
    else:
        raise K(n)
    return x
