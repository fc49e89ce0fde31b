def f(a, b):
    for x in a.items:
        try:
            a.z()
        except KeyError:
            try:
                b()
            except KeyError:
                a.k()
            else:
                break
            finally:
                a.f()
            a.t()
    a.done()
