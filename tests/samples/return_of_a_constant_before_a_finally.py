"""A return out of a `try` stands after its `finally`, before what goes on."""


def f(data, found):
    try:
        if data.read():
            return "dumb"
    finally:
        data.close()
    (magic,) = found
