# compiles to the same code
def f(a, b):
    try:
        for y in b:
            if y:
                return True
    except E:
        h(a)
    finally:
        k(a)
    h(b)
