"""Inner tests hand on their outcome to where outer ones go as well."""


def f(a, b, c, d):
    x = (a or (b and c)) and d
    y = (a and (b or c and d)) or b
    g(x, y, (a and b) or (c and d))
    return (a or (b and c and d)) and x
