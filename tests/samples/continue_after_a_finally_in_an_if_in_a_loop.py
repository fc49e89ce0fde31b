# comes back as written
def f(xs):
    for x in xs:
        if x:
            try:
                a()
            finally:
                b()
            continue
        c()
