# compiles to the same code
def f(a, b, c):
    while True:
        match g(a):
            case [b, *_]:
                b += c
