# compiles to the same code
def f(xs, a, b):
    found = None
    for x in xs:
        if x == a:
            found = a
            break
        if x > b:
            found = b
            if x > 7:
                continue
        rest = x
        break
    return (found, rest)
