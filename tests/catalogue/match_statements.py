# py>=3.10
# `match`, every kind of pattern


def values(a):
    match a:
        case 1:
            return 'one'
        case 'x' | 'y':
            return 'letter'
        case None:
            return 'none'
        case _:
            return 'other'


def sequences(a):
    match a:
        case [x, y]:
            return x + y
        case [x, *rest]:
            return rest
        case []:
            return None


def mappings(a):
    match a:
        case {'k': v, **rest}:
            return (v, rest)


def classes(a):
    match a:
        case int(x) if x > 1:
            return x
        case C(x, y=2) as z:
            return z
