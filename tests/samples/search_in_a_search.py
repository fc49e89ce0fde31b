def f(a, b, c):
    for x in a:
        if x:
            for y in b:
                if y:
                    break
            else:
                raise K(x)
            break
    else:
        raise K(c)
    return x, y
