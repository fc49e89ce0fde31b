# compiles to the same code
# open since 3.14: two `pass` are told from one test by nothing that is read there
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
