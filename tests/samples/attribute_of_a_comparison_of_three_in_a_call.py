def sample(a, b, c):
    return g((a < b < c).all())


def with_or(a, b):
    return g((g(a) or b).x)


def with_index(a, b, c, d):
    return g(h((a < b < c)[d]))


def raised(a, b, c):
    if a:
        raise h((a < b < c).x)
    return g(b)
