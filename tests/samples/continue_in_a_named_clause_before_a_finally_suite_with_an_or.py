# comes back as written since 3.11
def f(a, b, c):
    for x in a:
        try:
            try:
                a
            except a as e:
                continue
        finally:
            if b or c:
                return
