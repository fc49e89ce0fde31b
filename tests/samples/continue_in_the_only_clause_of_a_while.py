"""On 3.10 an `else` suite would stand where the rest does: only the jump of the clause tells."""
# compiles to the same code


def f(more, call, found):
    while more():
        try:
            new = call()
        except KeyError:
            continue
        found.append(new)
        found.append(1)
    return found
