# comes back as written
"""The end of the handler was copied for the `break` (3.14 on): it leaves the handler on the line of that."""


def f(rows, live):
    try:
        live.begin()
    except OSError:
        while rows:
            if live.full:
                break
            live.add(rows.pop())
    live.end(rows)
