# compiles to the same code
# comes back as written
"""The column of the `if` follows from that of what it asks, which begins in the next line."""


def f(names, a, b):
    for name in names:
        if name in a:
            continue
        found = b.get(name)
        if not (
            a.one(found) and b.one(found)
        ):
            continue
        found.tags = []
        if found:
            found.two()
    return b
