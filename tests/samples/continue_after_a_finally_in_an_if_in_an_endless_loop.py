# comes back as written
def f(x):
    while True:
        if x:
            try:
                a()
            finally:
                b()
            continue
        c()
