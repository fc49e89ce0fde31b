# compiles to the same code
"""`None` is loaded in the `try`, or before the iterator is dropped, which a `return` by itself would not do."""


def f(a, b):
    try:
        return a() if b else None
    except ValueError:
        for item in a:
            if item:
                return item if b else None
        return b
