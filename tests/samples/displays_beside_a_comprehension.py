"""Two lists in one call, where a comprehension moves a list on the stack and another call takes one apart."""


def f(g, z):
    y = [i for i in z]
    g(a=[], b=[y.count])
    return g("", *[y])
