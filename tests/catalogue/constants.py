# every kind of constant


def numbers():
    return (0, 1, -1, 255, 256, -5, 1000000000000000000000000000000)


def floats():
    return (0.0, -0.0, 1.5, 1e+300, 1e-300, 0.1)


def infinities():
    return (1e309, -1e309)


def complexes():
    return (1j, 0j, 1e309j)


def complex_parts():
    return 1.5 + 2j


def negative_imaginary():
    return -1j


def complex_with_negative_zero():
    return (-0j, -0.0 - 1j, 1 - 0j)


def negative_zero():
    return -0.0


def one_and_true():
    return (1, True, 1.0, 0, False, 0.0)


def strings():
    return ('', 'a', "it's", 'both \' and "', 'line\nbreak', 'tab\t', '\\', '\x00\x7f')


def unicode_strings():
    return ('é', '中', '\U0001f600', '\ud800')


def byte_strings():
    return (b'', b'a', b'\x00\xff', b"'")


def multi_line():
    return 'first line\nsecond line\nthird line\n'


def none_and_ellipsis():
    return (None, Ellipsis)


def nested_tuples():
    return ((1, (2, ('a', None))), ())


def big_integer():
    return 12345678901234567890123456789012345678901234567890


def huge_shift(a):
    return a << 200


def frozen_set_membership(a):
    return a in {'x', 'y', 'z'}


def same_values_other_types(a):
    return a == 1 or a == 1.0 or a is True


def implicit_none():
    pass


def docstring():
    """What it does."""


def docstring_and_body(a):
    """Several lines.

    Indented the usual way.
    """
    return a


def docstring_with_quotes():
    """He said \"\"\"hello\"\"\" and \\ went."""
    return 1


def string_first_but_used():
    return 'not a docstring'
