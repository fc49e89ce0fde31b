# comes back as written
"""The suite is left behind its `try` and behind the handler in it, both ways with a copy of what unbinds the name."""


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
