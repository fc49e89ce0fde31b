def f(names, a, b, c, found):
    for name in names:
        while True:
            if a(name):
                if b == "":
                    value = {}
                else:
                    try:
                        value = c(b)
                    except ValueError as e:
                        continue
                found[name] = value
                break
            break
    return found
