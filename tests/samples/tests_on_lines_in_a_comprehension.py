"""The jump back to the next item has a line of its own, and is no `continue`."""


def f(a):
    return {
        k: v
        for k, v in a.items()
        if (
            (not isinstance(v, (list, dict)) and v is not None)
            or (isinstance(v, (list, dict)) and len(v) > 0)
        )
    }
