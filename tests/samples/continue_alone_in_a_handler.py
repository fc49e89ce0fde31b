# compiles to the same code since 3.11
"""It says nothing that falling off would not, but for the copy of the finally suite before it (3.11 on)."""


def f(rows, path):
    while True:
        try:
            use(rows)
        except FileExistsError:
            continue
        finally:
            if path is not None:
                unlink(path)
