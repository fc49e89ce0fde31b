"""Two ways lead to the `break`, both from within a `with`: after that, what it swallows would lead to it as well."""


def f(g, E, path, a):
    while g(path):
        try:
            with g(path) as file:
                try:
                    with g(file) as lines:
                        if lines:
                            if lines.a:
                                g(a)
                            break
                except E as error:
                    g(error)
        except OSError:
            pass
        g(a)
    return g(path, a)
