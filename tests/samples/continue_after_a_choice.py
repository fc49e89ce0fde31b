"""The test jumps to the `continue`; an `else` with the rest in it would let it jump to the loop at once."""
# compiles to the same code


def f(members, skipping, found, name):
    for member in members:
        if skipping:
            if found == member:
                skipping = False
            continue
        if name == 1:
            other = name
        else:
            other = member
        if other == name:
            return member
    return skipping
