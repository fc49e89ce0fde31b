# compiles to the same code
def f(a, b, c):
    class x(object):
        p = y

    y = 1
    return [[{z: y for z in c} for u in a if not (y and b)] for y in a]
