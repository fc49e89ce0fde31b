# comes back as written
def f(a, b, c):
    try:
        a()
    except OSError as e:
        if a < b() <= c:
            c()
    finally:
        try:
            c()
        finally:
            return a
