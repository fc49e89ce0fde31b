# compiles to the same code
# open since 3.14: comes back as an `if` without its `else`, which compiles to other code
def f(a, x):
    while a:
        match a:
            case 1:
                print(1)
            case _:
                pass
    x = 1
