# compiles to the same code
def f(a, b, c):
    if b:
        for x in b:
            if g(x) and 0 <= x <= 9:
                if c or x != 0:
                    c.append(x)
            else:
                raise E
        if b[2]:
            a.y = 1
        elif b[3]:
            a.z = 2
        else:
            raise E(1)
        return a
    return b
