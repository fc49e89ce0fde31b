# comes back as written
"""What the `break` leads to was copied for it (3.14 on): the line of the `break` tells it from a part of the test."""


def f(rows, live):
    if live:
        while rows:
            if live.full:
                break
            live.add(rows.pop())
    return live
