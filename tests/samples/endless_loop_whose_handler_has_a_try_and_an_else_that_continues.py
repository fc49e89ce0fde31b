def f(a, b):
    while True:
        try:
            g(a)
        except K:
            if b:
                x = True
            continue
        except S:
            h(False)
            raise
        except:
            k(b)
            try:
                p()
                q(None)
            except:
                h(1)
                m()
            else:
                continue
