"""The exception's name is unbound between the `continue` and its jump."""
# compiles to the same code


def f(names, call, kind):
    for name in names:
        if name != kind:
            try:
                call(name)
            except KeyError as error:
                if error.args:
                    continue
                raise
    return kind
