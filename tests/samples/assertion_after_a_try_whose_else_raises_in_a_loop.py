# compiles to the same code
def f(modes, a):
    for mode in modes:
        try:
            options = a(mode)
        except AttributeError as exc:
            assert exc
        else:
            raise AssertionError
        assert a, options
        assert mode, options
