# comes back as written
"""The `return None` of the comparison's `else` leaves the handler first: its line there is that of no jump statement."""


def f(name, names):
    try:
        number = names.index(name)
    except ValueError:
        try:
            found = int(name)
        except ValueError:
            return None
        if 1 <= found <= 12:
            number = found
        else:
            return None
    names.append(number)
    return number
