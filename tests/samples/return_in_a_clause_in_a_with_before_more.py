# compiles to the same code since 3.11
def f(x):
    with x:
        try:
            a()
        except E:
            return
        b()
        return 1
