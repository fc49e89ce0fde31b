# comes back as written since 3.12
def f(x, signature):
    if __debug__:
        y = 1
        if x:
            print(y)
        y = 2
    while 1:
        if signature:
            name = x
            if x:
                break
    while True:
        try:
            if __debug__:
                while 1:
                    if x:
                        break
        finally:
            if 1:
                with x:
                    print(y)
            print(x)
        if x:
            print(1)
        elif 1:
            print(2)
            print(3)
        if True:
            print(4)
