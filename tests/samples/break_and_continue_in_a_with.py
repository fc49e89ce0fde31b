"""What follows in the loop is only reached when the exception was swallowed."""


def f(a):
    while True:
        g(1)
        with a:
            g(2)
            break
        g(3)
    while True:
        if g(4):
            break
        with a:
            g(5)
            continue
        g(6)
    return a
