# compiles to the same code up to 3.13
# Later ones have nothing that is read and tells two `pass` from one test.
"""Each `pass` leaves the clause and unbinds its name, which is no `return` on that line."""


def f(a, b):
    try:
        return a.one()
    except OSError as error:
        if error.number == a.number and not b:
            pass
        elif error.number == b.number:
            pass
        else:
            raise
    a.two()
    return b
