# compiles to the same code
def f(a, b):
    try:
        g(a)
    finally:
        for y in b:
            if y:
                h(y)
                break
        else:
            raise E
