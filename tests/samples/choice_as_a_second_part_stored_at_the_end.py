"""From 3.12 on and before 3.11 the first arm of the choice has a copy of the store and of the end."""


def f(a, b, c, x):
    y = c and (a if b else x >= a)
