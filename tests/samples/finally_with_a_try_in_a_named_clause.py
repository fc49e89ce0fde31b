# comes back as written
"""The suite is left after its `try` and after the handler in it, both ways with a copy of what unbinds the name."""


def f(rows, live):
    try:
        live.begin(rows)
    except OSError as error:
        try:
            rows.take(error)
        finally:
            try:
                live.end()
            except OSError:
                pass
    rows.close()
