"""A break out of the inner loop goes on with the loop around, because of the `continue` after it."""


def f(tokens):
    while 1:
        token = tokens.get()
        if token == 1:
            break
        elif token == 2:
            found = tokens.one()
        elif token == 3:
            found = tokens.two()
        else:
            while 1:
                if tokens.peek():
                    found = tokens.get()
                if tokens.end():
                    break
            continue
        tokens.add(found)
