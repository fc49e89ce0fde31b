def returned(b):
    return -(1 if b else 0)


def stored(b):
    y = -(True if b else False)
    return y


def of_three(b, c):
    y = ~(1 if b else 2 if c else 0)
    return y


def of_three_returned(b, c):
    return -(1.5 if b else 2 if c else 0.0)


def positive(b):
    y = +(1 if b else 2)
    return y


def raised(b, c):
    if b:
        raise E(-(0 if c else 1))
    g(b)
