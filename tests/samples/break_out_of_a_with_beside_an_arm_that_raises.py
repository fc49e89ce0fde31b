# compiles to the same code
def f(a, b):
    while True:
        if a():
            with b:
                break
        elif a.done:
            x = b()
            if x:
                return x.value
            raise x
        else:
            a.go_on()
    a.last = 1
