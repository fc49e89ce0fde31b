"""The line of `while True:` is that of no statement which the ways out of a comparison lead to."""


def f(a, b, c):
    if a:
        if a < g(b) <= c:
            h(a)
    else:
        k(a)
    while True:
        g(a)
