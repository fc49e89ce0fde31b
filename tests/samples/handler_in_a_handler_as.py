"""On 3.13 each way out of two handlers is copied, with the unbinding of the name."""


def f(lines, read):
    try:
        read()
    except EOFError:
        pass
    except SyntaxError as error:
        try:
            read()
        except IndentationError:
            pass
    return lines[:3]
