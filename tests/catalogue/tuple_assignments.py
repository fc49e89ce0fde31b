# `a, b = b, a`: what is on the stack when a local changes


def a_local_and_a_value(a, n, b):
    while a != b:
        b, a = a, a - -n // a >> 1
    return a


def two_with_one_computed(n, d, a):
    n, d = d, n - a * d
    return n, d


def a_local_and_a_display(names):
    original_names, names = names, []
    for n in original_names:
        names.append(n)


def several_in_a_row(a, b, c):
    a, b = c.x(), a
    b, a = a, c.x()
    c.y, a = a, c.y
    a, b, c = b, c, a
    a, b, c = b, c(), a
    return a, b, c
