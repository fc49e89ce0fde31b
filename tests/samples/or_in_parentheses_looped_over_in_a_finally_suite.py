# compiles to the same code since 3.11
def f(a, b, c):
    try:
        b()
    except ValueError:
        return
    finally:
        for x in (a or b) or c:
            b()
