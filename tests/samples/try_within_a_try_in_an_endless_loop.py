# comes back as written
"""The loop begins with the lines of two `try`, neither of which is around it."""


def f(rows):
    while True:
        try:
            try:
                rows.next()
            except OSError:
                rows.again()
        except ValueError:
            break
    rows.end()
