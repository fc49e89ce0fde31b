# comes back as written
"""Both ways out of the inner `try` leave the clause and come to the end of the function: no `return` is left there."""


def f(rows, live):
    try:
        live.begin()
    except OSError as error:
        try:
            for row in rows:
                row.close()
        except ValueError:
            live.end()
