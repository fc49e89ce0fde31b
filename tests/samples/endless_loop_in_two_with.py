"""The `try:` of a loop lies outside the ranges of the table, and so does the way back to it."""


def f(first, second):
    with first as a, second as b:
        while True:
            try:
                pass
                b.step()
            except OSError as error:
                pass
