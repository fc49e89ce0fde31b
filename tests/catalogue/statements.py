# simple statements: assignment of all kinds, imports, del, assert, raise, global


def assignments(a, b):
    x = a
    y = z = b
    return (x, y, z)


def chain_of_targets(a):
    a.x = a[0] = y = g(a)
    return y


def unpack(a):
    x, y = a
    return x + y


def unpack_nested(a):
    (x, (y, z)), w = a
    return g(x, y, z, w)


def unpack_star(a):
    x, *y, z = a
    return g(x, y, z)


def unpack_star_only(a):
    *x, = a
    return x


def unpack_attributes(a, b):
    a.x, b[0], b[1:2] = g(a)


def swap(a, b):
    a, b = b, a
    return (a, b)


def rotate(a, b, c):
    a, b, c = c, a, b
    return g(a, b, c)


def four(a, b, c, d):
    a, b, c, d = d, c, b, a
    return g(a, b, c, d)


def augmented(a, b):
    a += b
    a -= b
    a *= b
    a /= b
    a //= b
    a %= b
    a **= b
    a @= b
    a <<= b
    a >>= b
    a &= b
    a |= b
    a ^= b
    return a


def augmented_targets(a, b):
    a.x += b
    a[b] -= 1
    a[1:2] *= b
    g(a).x[b] += 1


def store_slices(a, b):
    a[:] = b
    a[1:b] = b
    a[::2] = b


def deletes(a, b):
    del a.x
    del b[0]
    del b[1:2]
    x = a
    del x
    del a
    del b


def deletes_together(a, b, c):
    del a.x, b[0], b[1:2]
    del a, b
    del c


def asserts(a, b):
    assert a
    assert b, 'message'
    assert a and b, g(a)


def assert_not(a):
    assert not a
    return a


def assert_in_loop(a):
    for x in a:
        assert x > 0, x
        g(x)


def raises(a):
    raise ValueError(a)


def raises_class():
    raise ValueError


def raises_from(a):
    raise ValueError(a) from a


def raises_from_none(a):
    raise ValueError(a) from None


def imports():
    import os
    import os.path
    import os as o
    import os.path as p
    from os import path
    from os import path as q, sep
    from . import x
    from .y import z
    from ..v import w as u
    return (os, o, p, path, q, sep, x, z, u)


def globals_(a):
    global G
    G = a
    return G


def globals_deleted():
    global G
    del G


def globals_augmented(a):
    global G
    G += a


def global_function():
    global H

    def H():
        pass


def passes():
    pass


def expression_statements(a):
    a.x
    g(a)
    a[0]
    a + 1


def returns_nothing(a):
    if a:
        return
    g(a)


def returns_in_the_middle(a):
    if a:
        return
    if g(a):
        return 1
    h(a)


def unbound(a):
    if a:
        x = 1
    return x


def deleted_then_used(a):
    x = a
    del x
    return x


def conditional_delete(a, b):
    if a:
        del b
    return b


def assert_of_nothing(x):
    for y in x:
        if y:
            continue
        assert False
    try:
        x()
    except OSError as e:
        assert False, e


def values_unpacked_to_one_name(x):
    for f, (c, n, _, _, _) in x:
        f(c, n)
    *_, _ = x
    (a, (b, _, (_, _))), _, *_ = x
    (_, _), _ = x
    return a, b, _
