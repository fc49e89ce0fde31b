# comes back as written
def f(a, b):
    with a() as c:
        while True:
            try:
                d = next(c)
                if d.x:
                    yield d
                if d.y:
                    yield from b(d)
            except OSError:
                pass
            except StopIteration:
                break
