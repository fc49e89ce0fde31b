# comes back as written
"""The NOP after the copy of the suite is on the line of that, and no `return`: nothing of the copy is left there."""


def f(rows, live):
    try:
        with live:
            try:
                rows.take()
            except OSError:
                if rows:
                    return live
                rows.close()
            finally:
                live.count(rows)
    except ValueError:
        live.end()
