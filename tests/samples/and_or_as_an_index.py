"""The value below is on the stack of both ways, and comes to the second by an edge of its own."""


def f(names, monetary, inout):
    sign = names[monetary and "mon_sign" or "sign"]
    return g(sign, stdin=inout, stdout=(names.redirect and inout or None), stderr=inout)
