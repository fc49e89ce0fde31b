"""A return after a with that may swallow: two ways lead to it, and one of them has left nothing but that with."""


def f(path, g, DRMError, k):
    if path:
        with g(path) as folder:
            try:
                g(folder)
            except DRMError:
                pass
            else:
                with g(folder) as source:
                    k(source)
                return
    return k(path)
