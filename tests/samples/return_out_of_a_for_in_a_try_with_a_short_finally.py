# comes back as written since 3.11
def f(a):
    try:
        for x in a:
            if x:
                return
            b()
    finally:
        c()
