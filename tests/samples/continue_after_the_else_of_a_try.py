# comes back as written since 3.11
def f(xs):
    for x in xs:
        if x:
            try:
                a()
            except E:
                c()
            else:
                d()
            continue
        b()
