# names that other tools take for their own


def helper_names(a, cell_of, iterate):
    return cell_of(a) + iterate(a)


def temporary_names(a, _t1):
    _t2 = g(a)
    return a if _t1 else _t2


def builtin_names(list, str):
    return list(str)


def dunder(a, __class__):
    return __class__(a)


def underscores(_, __):
    return _ + __


def unicode_names(é, 中):
    return é + 中


def soft_keywords(match, case, type, _):
    return match(case, type)


def own_name(a):
    return own_name(a)


def shadowed_builtin(a):
    print = g
    return print(a)


def exception_name_reused(a):
    e = 1
    try:
        g(a)
    except KeyError as e:
        h(e)


def enclosing(a, __enclosing__):
    return __enclosing__


def dot_zero(a):
    return [x for x in a if g(x)]
