# comes back as written since 3.12
def f(x, signature):
    match x:
        case [1]:
            print(1)
        case _:
            print(2)
    if signature:
        print(3)
    else:
        while 1:
            if x():
                break
