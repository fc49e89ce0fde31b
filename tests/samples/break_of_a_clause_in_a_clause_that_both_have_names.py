# compiles to the same code
def f(a, b):
    for x in a.items:
        try:
            a.z()
        except KeyError as e:
            try:
                b(e)
            except OSError as o:
                a.p(o)
                break
            a.t()
        a.go_on()
    a.done()
