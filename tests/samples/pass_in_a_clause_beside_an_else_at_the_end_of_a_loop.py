# compiles to the same code
# comes back as written since 3.11
def f(a, b):
    for x in a:
        try:
            g(x)
        except b:
            continue
        except a:
            pass
        else:
            h()
    while a.is_on():
        try:
            x = a.get()
        except b:
            pass
        else:
            x.start()
            x.join()
