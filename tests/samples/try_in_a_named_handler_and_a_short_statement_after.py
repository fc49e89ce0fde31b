# compiles to the same code
def f(a, b, c):
    x = c
    try:
        print(a)
    except ValueError as e:
        try:
            print(a)
        except ValueError:
            print(b)
    x = 1
