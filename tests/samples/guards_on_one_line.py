"""Each returns on the line of its test, as the end of the function does."""


def f(a, b):
    if a in b: return
    if not a or len(b) == 0: return None
    if b[0]:
        g(b)
    h(a)
