"""Control that a pattern fails comes round to the test of the loop, which asks for None as a pattern would."""


def f(a, b):
    while g(a) is None:
        match a:
            case [x, y]:
                x = a


def g(a):
    while f(a) is None:
        match a:
            case {"a": y} if y:
                a = y
