"""Short code after a `try` is copied to the end of each clause: here, the making of a function."""

try:
    has
except NameError:
    import has


def wrapper(x, /, *y):
    return x(*y)
