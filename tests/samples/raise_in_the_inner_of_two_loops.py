"""It is laid out after both loops, but only the inner one comes to it."""


def f(tokens, entries):
    while 1:
        entries[g()] = {}
        while 1:
            if tokens.get():
                entries.end()
                break
            elif tokens.get():
                pass
            elif tokens.get():
                entries.add()
            else:
                raise KeyError(tokens)
