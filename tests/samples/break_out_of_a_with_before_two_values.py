# comes back as written
"""What is behind the loop, short enough to be copied, stands behind the `with` that the `break` leaves."""


def f(db, a, b):
    while True:
        with start(db) as session:
            rows = session.some()
            if not rows:
                break
            use(rows)
    return a, b
