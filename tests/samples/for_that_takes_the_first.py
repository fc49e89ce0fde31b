# compiles to the same code
"""A loop that never goes round: what its `break` leads to stands after what nothing else leads to, the `else`."""


def f(rows, use):
    for row in rows:
        found = row.key
        break
    else:
        raise KeyError("there is none")
    use(found)


def kept(rows, use):
    for row in rows:
        found = row.key
        break
    else:
        raise KeyError("there is none")
    return use(found)
