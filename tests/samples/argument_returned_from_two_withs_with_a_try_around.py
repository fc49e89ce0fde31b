def f(a, dst):
    with a as fsrc:
        try:
            with dst as fdst:
                if k:
                    n(fsrc)
                    return dst
                p(fdst)
        except I as e:
            raise F from e
    return dst
