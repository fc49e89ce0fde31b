# comes back as written since 3.11
"""What a `break` leads to is so short that it is copied there: a `return` has the same code."""
def f(a, b):
    for x in a:
        if x:
            if b:
                g(x)
            break
        elif x is b:
            return
        while True:
            if h(x):
                break
            g(b)
    else:
        g(a)
