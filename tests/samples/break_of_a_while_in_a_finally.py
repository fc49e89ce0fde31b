# comes back as written
"""Both copies of the suite say that the `break` is one: by a NOP, and by the line of the re-raise (3.14 on)."""


def f(rows, live):
    try:
        live.begin()
    finally:
        while rows:
            if live.full:
                break
            live.add(rows.pop())
    return live
