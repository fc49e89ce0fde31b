try:
    import a
except ImportError:
    try:
        import b
    except ImportError:
        import c
setup = a.b


def f():
    try:
        a()
    except ImportError:
        try:
            b()
        except ImportError:
            c()
    d()


try:
    import a
except ImportError:
    try:
        import b
    except ImportError:
        import c
setup = a.b
