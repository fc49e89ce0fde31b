def f(items):
    global last
    return [last := item for item in items]


def g(first):
    def h(items):
        nonlocal first
        return any((first := item) for item in items)
    return h, first


def k(items):
    found = [kept := item for item in items]
    return kept, found
