# open: the lambda comes back as a function under another name
def f(a, b, c):
    return lambda: k(a < (c and b) < a)
