# py>=3.11
# `except*`


def one(a):
    try:
        g(a)
    except* KeyError:
        h(a)


def two(a):
    try:
        g(a)
    except* KeyError as e:
        h(e)
    except* (ValueError, OSError):
        k()
    return a
