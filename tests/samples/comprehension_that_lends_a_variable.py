"""The comprehension has the name for as long as it runs; after it, it is a local that nothing was stored to."""


def f(a):
    if False:
        x = 0
    try:
        return [x for x in a], [y for y in a if x]
    except NameError as error:
        return type(error), [x for x in a if (z := x)], z
