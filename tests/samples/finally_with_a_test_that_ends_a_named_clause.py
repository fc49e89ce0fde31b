# comes back as written
"""Each way through the suite ends the clause by itself, and the function: no `return` is left there."""


def f(rows, live):
    try:
        live.begin()
    except OSError as error:
        try:
            rows.take(error)
        finally:
            if live:
                live.end()
