# open since 3.14: the class within has annotations that depend on a condition, and reads the cell of the one around
class C:
    no_such_name
    x: int

    class D:
        no_such_name
        if False:
            _: None


def f(test, x, d):
    test(x, **{'if': 1})
    test(**{b'a': x})
    test(**{x: 1})
    test(*x, a=1, **{'b': 2}, **d, e=3)
    test(*x, **{'b': 2}, **d, **{'not a name': 1})
    return {**{1: 2}, **d, 3: 4}
