"""A `continue` leaves the handler at once; an arm that just ends would jump over the other."""
# compiles to the same code


def f(names, call, kind):
    for name in names:
        try:
            found = call(name)
        except KeyError:
            continue
        except IndexError:
            if kind == 1:
                continue
            else:
                raise
        return found
    raise OSError(names)
