# comes back as written since 3.11
def f(a, b, c):
    while True:
        try:
            b(a)
        except OSError as e:
            pass
        else:
            break
