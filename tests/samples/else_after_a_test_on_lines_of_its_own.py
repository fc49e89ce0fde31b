# comes back as written since 3.11
def f(a, b):
    if (
            len(a) > b
            and a.c(b)
        ):
        return True
    else:
        return False
