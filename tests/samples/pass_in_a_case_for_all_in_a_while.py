# compiles to the same code up to 3.13
# Later it comes back as an `if` without its `else`, which compiles to other code.
def f(a, x):
    while a:
        match a:
            case 1:
                print(1)
            case _:
                pass
    x = 1
