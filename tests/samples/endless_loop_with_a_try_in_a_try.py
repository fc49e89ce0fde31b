# comes back as written
"""From 3.14 on the line of the loop is protected by the outer `try` alone, that of the inner one by nothing."""


def f(rows):
    try:
        while True:
            try:
                rows.next()
            except OSError:
                break
    except ValueError:
        rows.again()
    rows.end()
