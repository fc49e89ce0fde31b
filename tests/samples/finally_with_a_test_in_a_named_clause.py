# comes back as written
"""Two ways go through the suite with the value, and both unbind the name: they end in one return."""


def f(rows, live):
    try:
        live.begin(rows)
    except OSError as error:
        try:
            return rows.all(error)
        finally:
            if live:
                live.end()
