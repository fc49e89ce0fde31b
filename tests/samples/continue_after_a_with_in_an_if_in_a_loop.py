# comes back as written since 3.11
def f(xs):
    for x in xs:
        if x:
            with x:
                a()
            continue
        b()
