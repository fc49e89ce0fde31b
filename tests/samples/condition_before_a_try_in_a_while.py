def f(value, start, stop, items):
    i = start
    while stop is None or i < stop:
        try:
            v = items[i]
        except IndexError:
            break
        if v is value or v == value:
            return i
        i += 1
    raise ValueError
