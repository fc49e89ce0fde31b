# compiles to the same code
def f(a, b):
    try:
        b()
    except KeyError as e:
        a.error = e
        return
    finally:
        try:
            b.close()
        except OSError:
            pass
    a.done()
