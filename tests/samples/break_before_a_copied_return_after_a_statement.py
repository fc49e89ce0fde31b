# compiles to the same code
def f(a, b, c):
    for y in b:
        if y:
            x = z
            break
    else:
        raise E
    return x
