"""Formats that the compiler makes fields of, and others: too few values, three digits, what is no text."""


def formats(a):
    yield "%s%r" % ("a", 1)
    yield "%s %s" % (a, *a)
    yield "%s %s" % (a,)
    yield "%s%%" % (a,)
    yield "%s%" % (a, a)
    yield "%-5.2s" % (a,)
    yield "%5s %d" % (a, a)
    yield "%99s %.99s" % (a, a)
    yield "%100s" % (a,)
    yield "%.100s" % (a,)
    yield "%s %s" % ()
