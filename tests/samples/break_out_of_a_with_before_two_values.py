# comes back as written
"""What is after the loop, short enough to be copied, stands after the `with` that the `break` leaves."""


def f(db, a, b):
    while True:
        with start(db) as session:
            rows = session.some()
            if not rows:
                break
            use(rows)
    return a, b
