# compiles to the same code since 3.11
def f(a, b):
    try:
        g(a)
    except E:
        try:
            g(a)
        except E as e:
            if a:
                return
            g(1)
