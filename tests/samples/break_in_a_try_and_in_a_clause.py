# comes back as written since 3.11
def f(a, b, c):
    for x in a:
        try:
            b(x)
            break
        except OSError:
            pass
        except KeyError:
            break
    k(x)
