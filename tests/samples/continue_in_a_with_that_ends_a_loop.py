# comes back as written since 3.11
def f(a):
    for x in a:
        with h(x):
            if x:
                g(1)
                continue
            g(2)
