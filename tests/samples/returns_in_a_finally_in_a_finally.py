def f(a, b, c):
    try:
        try:
            b[c] = a
        finally:
            return
    finally:
        return b.attr and b + c
