"""From 3.12 on the handler is moved out of the midst of one copy of the loop, and stands in the midst of the other."""


def f(ready, reads):
    try:
        if ready:
            return use(ready)
    finally:
        while reads:
            try:
                read = reads.pop()
            except KeyError:
                break
            else:
                read()
