"""The copies of the cleanup end at several places, and its handler asks about an exception of its own."""


def f(names, key):
    try:
        g(key)
        return names.get(key)
    finally:
        try:
            del names[key]
        except KeyError:
            pass
