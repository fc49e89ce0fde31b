"""The iterator that the `break` drops comes from both arms as what was last handed on, and no choice made it."""


def f(items, g, value):
    for item in items:
        if not item:
            continue
        if item == "p":
            if item.a and item.b:
                g()
            value = 3
        else:
            if item:
                g()
            value = 4
        break
    return g(value)
