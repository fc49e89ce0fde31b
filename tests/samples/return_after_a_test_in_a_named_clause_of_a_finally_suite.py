# comes back as written since 3.11
def f(a, b, c):
    try:
        c()
    except OSError as e:
        return a
    finally:
        try:
            b()
        except KeyError as e:
            if a and b:
                return
    c()
