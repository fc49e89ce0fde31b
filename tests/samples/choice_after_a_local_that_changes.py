"""The local lies on the stack while the choice is made; that it is stored to before changes nothing."""


def f(count, plural, given, named):
    if plural:
        count = 1
    return report(count, "was" if given and named else "were")
