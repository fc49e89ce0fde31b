# comes back as written
"""What the `if` leads to was copied after its line, which is not that of a `case _`."""


def f(rows, live):
    match rows:
        case [first, _]:
            if live:
                return first
    return live
