# compiles to the same code
def f(modes, a):
    for mode in modes:
        for version in mode:
            try:
                options = a(mode)
            except AttributeError as exc:
                assert exc
            else:
                raise AssertionError
            if version:
                raise ValueError
            else:
                assert a, options
