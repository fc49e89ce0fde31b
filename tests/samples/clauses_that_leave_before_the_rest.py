"""What follows stands after the clauses: no else suite does."""


def f(a):
    for key in a:
        try:
            value = a[key]
        except KeyError:
            continue
        except ValueError:
            g(key)
            continue
        h(value)
    try:
        value = a[0]
    except KeyError:
        return
    g(value)
