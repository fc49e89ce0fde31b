# compiles to the same code
def f(a, x):
    while a:
        match a:
            case 1:
                print(1)
            case _:
                pass
    x = 1
