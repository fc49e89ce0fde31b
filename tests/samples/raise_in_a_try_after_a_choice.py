# comes back as written
"""The `try` is there once for each way through the choice, each time after its line, which is no jump statement's."""


def f(rows, live, mode):
    if (rows if live else mode):
        try:
            raise
        except OSError:
            live.end()
    rows.close()
