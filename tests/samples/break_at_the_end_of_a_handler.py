"""On 3.13 a break out of the last loop of a handler leaves the handler as well."""


def f(found, items):
    try:
        first = found[0]
    except TypeError:
        if items:
            for item in items:
                break
    return [item for item in items]
