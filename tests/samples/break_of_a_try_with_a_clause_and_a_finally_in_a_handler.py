# compiles to the same code
def f(a, b):
    for x in a.items:
        try:
            a.z()
        except KeyError:
            try:
                b()
                break
            except KeyError:
                a.k()
            finally:
                a.f()
            a.t()
    a.done()
