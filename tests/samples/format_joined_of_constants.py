# compiles to the same code
"""Joined before it is a format (3.14 on): written as one literal, the compiler would make fields of each of these."""


def f(a):
    log(f"%5s %s" % (a, a), ("" + "") % ())
    return ("%22s" + "%-11s" * 2) % ("Class", "Images", "mIoU"), ("%+." + "2r") % (a,)
