# comes back as written since 3.11
def f(a, b, c):
    try:
        try:
            x = a
        except ValueError as e:
            raise a
        except ValueError as e:
            a
    finally:
        if a < (c and x) <= c:
            y = a
    x = c[a]
