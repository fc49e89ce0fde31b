# comes back as written
"""What is after the statement is the end of the function: the `return` is told by the copy before it."""


def f(a, b):
    try:
        try:
            if b:
                return
            use(b)
        finally:
            close(a)
    except KeyError:
        log(a)
