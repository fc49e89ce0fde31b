"""The break after the inner loop is part of the jump that leaves it; other ways lead to where it goes as well."""


def f(a, b):
    for x in a:
        try:
            for y in b:
                if y:
                    a.append(y)
                    break
                try:
                    b(y)
                except TypeError:
                    x = y
            else:
                if x:
                    b.append(x)
                continue
            break
        finally:
            x = None
    else:
        b.pop()
    return x
