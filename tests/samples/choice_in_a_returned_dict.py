# compiles to the same code
"""A choice on lines of its own in a dict that is returned: its keys come with the operation that makes it."""


def f(a, b):
    return {
        "first": str(a),
        "second": (
            b
            if a
            else None
        ),
    }
