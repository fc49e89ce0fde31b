# compiles to the same code
def f(a, states, t):
    if a:
        for state in states:
            if state == t():
                x = True
                break
    y = x
    return y
