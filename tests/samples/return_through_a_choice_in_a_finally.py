# comes back as written
"""In a `try` around both, what returns a constant after the finally suite is no part of either."""


def f(path):
    try:
        try:
            if stat(path):
                return True
        finally:
            if path:
                unlink(path)
    except OSError:
        return False
