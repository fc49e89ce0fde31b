# compiles to the same code
def f(a, b, c):
    x = c
    for y in b:
        if y:
            break
    else:
        g(1)
    x = 1
