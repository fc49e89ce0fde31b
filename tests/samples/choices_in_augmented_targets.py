"""What is added to lies where a choice says: its container and key are read once, for two uses."""


def f(a, b, c, k):
    k[a if b else c] += 1
    k[a or c] -= 1
    (a or b).x += 1
    (a or b)[c] += 1
    a[b][c or k] -= g(a)
    a[a < b < c] += k
